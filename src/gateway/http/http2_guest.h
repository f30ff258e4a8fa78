#pragma once
// The guest's side of HTTP/2: each stream that the guest begins is an exchange. Heads that cannot
// be served are answered here.

#include <memory>
#include <string>
#include <vector>

#include "gateway/http/connections.h"
#include "gateway/http/http2_session.h"

namespace viv::gateway {

class Http2GuestSession final : public Http2Session {
 public:
  Http2GuestSession(http::Transport& transport,
                    ExchangeHandler serve,
                    Http2Options options = {},
                    MalformedRequestHandler on_malformed = nullptr);

  // Until the connection has ended and all exchanges were served.
  Task<void> Serve(std::string already_read);

 private:
  friend class Http2GuestExchange;

  bool AcceptsStream() override;
  void OnRequest(std::shared_ptr<Http2Stream> stream) override;
  void OnMalformed(const Http2Stream& stream) override;
  void OnConnectionError(std::string_view fault) override;
  void AfterFeed() override;

  void Start(std::shared_ptr<Http2Stream> stream);
  void Run(std::shared_ptr<Http2Stream> stream, Task<void> task);
  Task<void> SendErrorResponse(std::shared_ptr<Http2Stream> stream, Http2Problem problem);
  void OnServed(Http2Stream& stream);

  void Report(const Http2Problem& problem, std::string method, std::string target);

  const ExchangeHandler serve_;
  const MalformedRequestHandler on_malformed_;
  std::int32_t malformed_reported_ =
      0;  // the stream that was told last: nghttp2 may find two faults
  bool connection_error_reported_ = false;
  std::vector<std::shared_ptr<Http2Stream>> new_streams_;  // by the bytes that were just read
  std::size_t running_ = 0;
  Http2Signal all_served_;
};

}  // namespace viv::gateway
