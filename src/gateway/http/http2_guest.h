#pragma once
// HTTP/2 toward a guest: each stream that the guest opens is an exchange. Requests with unusable
// heads are answered here.

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

  // Returns when the connection has ended and all exchanges were served.
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
  // The stream that was reported last: nghttp2 may find two errors in one stream.
  std::int32_t malformed_reported_ = 0;
  bool connection_error_reported_ = false;
  // Opened by the bytes that were just read.
  std::vector<std::shared_ptr<Http2Stream>> new_streams_;
  std::size_t running_ = 0;
  Http2Signal all_served_;
};

}  // namespace viv::gateway
