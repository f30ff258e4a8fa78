#pragma once
// For tests of HTTP/2 toward an origin: a connection over one end of a socket pair, a server at the
// other end, and what is read of its responses.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/http/http2_origin.h"
#include "gateway/http/http2_test_support.h"

namespace viv::gateway {

inline RequestHead SomeHead(std::string method = "GET") {
  RequestHead head;
  head.has_body = method == "POST";
  head.method = std::move(method);
  head.authority = "api.example.com";
  head.target = "/v1/things?x=y";
  return head;
}

// A connection over one end of a socket pair, and a server at the other end.
class Http2OriginFixture {
 public:
  explicit Http2OriginFixture(Http2Options options = {}, Http2Peer::Settings settings = {})
      : Http2OriginFixture(MakeHttp2SocketPair(), options, std::move(settings)) {}
  ~Http2OriginFixture() {
    loop.Run<void>([this] { connection.reset(); });
    server.Hangup();
  }

  bool CanOpen() {
    return loop.Run<bool>([this] { return connection->CanOpen(); });
  }
  std::unique_ptr<OriginExchange> Open() {
    return loop.Run<std::unique_ptr<OriginExchange>>([this] {
      auto opened = connection->Open();
      EXPECT_TRUE(opened.has_value());
      return *std::move(opened);
    });
  }
  void Drop(std::unique_ptr<OriginExchange>& exchange) {
    loop.Run<void>([&] { exchange.reset(); });
  }
  std::future<Status> Send(OriginExchange& exchange, RequestHead head) {
    return loop.Start(exchange.SendHead(std::move(head)));
  }
  // Waits until the server has read the head of a request.
  bool UntilRequest(std::int32_t id) {
    return server.Until([&] { return !server.streams[id].heads.empty(); });
  }

 private:
  Http2OriginFixture(Http2SocketPair pair, Http2Options options, Http2Peer::Settings settings)
      : server(Http2Peer::Role::kServer, std::move(pair.theirs), std::move(settings)) {
    loop.Run<void>(
        [&] { connection = MakeHttp2Origin(loop.Adopt(std::move(pair.ours)), options); });
  }

 public:
  Http2TestLoop loop;
  std::shared_ptr<OriginConnection> connection;  // used on the loop only
  Http2Peer server;
};

struct Outcome {
  std::vector<ResponseHead> heads;
  std::string body;
  http::Headers trailers;
  std::optional<Error> failure;
  OriginExchange::Delivery delivery = OriginExchange::Delivery::kMaybeProcessed;
};

inline Task<Status> ReadResponse(OriginExchange& exchange, Outcome& outcome) {
  for (bool final = false; !final;) {
    ASSIGN_OR_CO_RETURN(ResponseHead head, co_await exchange.ReadHead());
    final = head.status >= 200;
    outcome.heads.push_back(std::move(head));
  }
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await exchange.ReadBody());
    if (piece.empty()) break;
    EXPECT_LE(piece.size(), kHttp2PieceBytesMax);
    outcome.body += piece;
  }
  outcome.trailers = exchange.trailers();
  co_return Status();
}

inline Task<Outcome> ReadAll(OriginExchange& exchange) {
  Outcome outcome;
  Status read = co_await ReadResponse(exchange, outcome);
  if (!read) outcome.failure = read.error();
  outcome.delivery = exchange.delivery();
  co_return outcome;
}

}  // namespace viv::gateway
