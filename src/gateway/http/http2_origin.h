#pragma once
// HTTP/2 toward an origin: each exchange is a stream that we open. After a failure, delivery()
// tells whether the origin certainly did not process the request, because it refused the stream or
// excluded it in its GOAWAY, or whether the connection ended before any part of a response arrived.
// An origin that responds before it has read the whole request may then reset the stream: sending
// fails with kUnavailable, and its response can still be read.

#include <memory>

#include "gateway/http/connections.h"
#include "gateway/http/http2_session.h"

namespace viv::gateway {

class Http2OriginSession final : public Http2Session {
 public:
  Http2OriginSession(std::unique_ptr<http::Transport> transport, Http2Options options);

  void Start();  // runs until the connection has ended, and keeps this alive until then
  bool CanOpen() const;
  bool IsIdle() const { return exchanges_ == 0; }
  void AddExchange() { ++exchanges_; }
  void RemoveExchange();
  Result<std::shared_ptr<Http2Stream>> Begin(const RequestHead& head);
  void CloseWhenIdle();  // closes after the running exchanges have ended
  void Close();          // closes now; sends GOAWAY if no exchange is running
  void Tick(std::chrono::steady_clock::time_point now) { transport_.Tick(now); }

 private:
  const std::unique_ptr<http::Transport> owned_;
  std::size_t exchanges_ = 0;
  bool close_when_idle_ = false;
};

std::shared_ptr<OriginConnection> MakeHttp2Origin(std::unique_ptr<http::Transport> origin,
                                                  Http2Options options);

}  // namespace viv::gateway
