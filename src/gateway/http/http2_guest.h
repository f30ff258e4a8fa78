#pragma once
// The guest's side of HTTP/2: each stream that the guest begins is an exchange. Heads that cannot
// be served are answered here.

#include <memory>
#include <string>
#include <vector>

#include "gateway/http/connections.h"
#include "gateway/http/http2_session.h"

namespace viv::gateway {

class Http2Guest final : public Http2Session {
 public:
  Http2Guest(http::Transport& transport,
             ServeExchange serve,
             Http2Options options = {},
             TellBroken broken = nullptr);

  // Until the connection has ended and all exchanges were served.
  Task<void> Serve(std::string taken);

 private:
  friend class Http2GuestExchange;

  bool Admits() override;
  void OnRequest(std::shared_ptr<Http2Stream> stream) override;
  void OnMalformed(const Http2Stream& stream) override;
  void OnFault(std::string_view fault) override;
  void AfterFeed() override;

  void Start(std::shared_ptr<Http2Stream> stream);
  void Run(std::shared_ptr<Http2Stream> stream, Task<void> task);
  Task<void> Answer(std::shared_ptr<Http2Stream> stream, Http2Problem problem);
  void AfterServed(Http2Stream& stream);

  void Tell(const Http2Problem& problem, std::string method, std::string target);

  const ServeExchange serve_;
  const TellBroken broken_;
  std::int32_t malformed_told_ = 0;  // the stream that was told last: nghttp2 may find two faults
  bool fault_told_ = false;
  std::vector<std::shared_ptr<Http2Stream>> begun_;  // by the bytes that were just read
  std::size_t running_ = 0;
  Http2Signal all_served_;
};

}  // namespace viv::gateway
