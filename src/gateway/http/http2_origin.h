#pragma once
// The origin's side of HTTP/2: each exchange is a stream that we begin. After a failure an
// exchange's fate() tells whether the origin certainly did not work on the request, for it refused
// the stream or left it out in its GOAWAY, or whether the connection ended before anything of an
// answer came. An origin that answers before it has read the whole request may reset the stream
// then: sending fails with kUnavailable, and what it answered can still be read.

#include <memory>

#include "gateway/http/connections.h"
#include "gateway/http/http2_session.h"

namespace viv::gateway {

class Http2OriginSession final : public Http2Session {
 public:
  Http2OriginSession(std::unique_ptr<http::Transport> transport, Http2Options options);

  void Start();  // pumps until the connection has ended; keeps this alive so long
  bool CanOpen() const;
  bool IsIdle() const { return exchanges_ == 0; }
  void AddExchange() { ++exchanges_; }
  void RemoveExchange();
  Result<std::shared_ptr<Http2Stream>> Begin(const RequestHead& head);
  void CloseWhenIdle();  // ends once the exchanges that are under way have ended
  void Close();          // ends now; says goodbye when nothing is under way
  void Tick(std::chrono::steady_clock::time_point now) { transport_.Tick(now); }

 private:
  const std::unique_ptr<http::Transport> owned_;
  std::size_t exchanges_ = 0;
  bool close_when_idle_ = false;
};

std::shared_ptr<OriginConnection> MakeHttp2Origin(std::unique_ptr<http::Transport> origin,
                                                  Http2Options options);

}  // namespace viv::gateway
