#pragma once
// For tests of HTTP/2 toward a guest: a session that serves one end of a socket pair, and a client
// at the other end.

#include <future>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include "gateway/http/http2_guest.h"
#include "gateway/http/http2_test_support.h"

namespace viv::gateway {

class Http2GuestFixture {
 public:
  explicit Http2GuestFixture(ExchangeHandler serve,
                             Http2Options options = {},
                             Http2Peer::Settings settings = {},
                             MalformedRequestHandler on_malformed = nullptr)
      : Http2GuestFixture(MakeHttp2SocketPair(),
                          std::move(serve),
                          options,
                          std::move(settings),
                          std::move(on_malformed)) {}

  ~Http2GuestFixture() {
    client.Hangup();
    done.wait();
    // The transport belongs to the loop.
    loop.Run<void>([this] { transport.reset(); });
  }

  void TickAfter(std::chrono::milliseconds time) {
    loop.Run<void>([&] { transport->Tick(std::chrono::steady_clock::now() + time); });
  }
  void Cancel() {
    loop.Run<void>([&] { signal.emit(asio::cancellation_type::terminal); });
  }

 private:
  Http2GuestFixture(Http2SocketPair pair,
                    ExchangeHandler serve,
                    Http2Options options,
                    Http2Peer::Settings settings,
                    MalformedRequestHandler on_malformed)
      : transport(loop.Adopt(std::move(pair.ours))),
        client(Http2Peer::Role::kClient, std::move(pair.theirs), std::move(settings)) {
    auto session = std::make_shared<Http2GuestSession>(*transport, std::move(serve), options,
                                                       std::move(on_malformed));
    auto promise = std::make_shared<std::promise<void>>();
    done = promise->get_future();
    auto on_end = [promise](std::exception_ptr) { promise->set_value(); };
    asio::co_spawn(transport->executor(), ServeIt(std::move(session)),
                   asio::bind_cancellation_slot(signal.slot(), on_end));
  }

  static Task<void> ServeIt(std::shared_ptr<Http2GuestSession> session) {
    co_await session->Serve("");
  }

 public:
  Http2TestLoop loop;
  asio::cancellation_signal signal;
  std::unique_ptr<http::Transport> transport;
  std::future<void> done;  // ready when the connection was served to its end
  Http2Peer client;
};

// The head of a request as text.
inline std::string DescribeHead(const RequestHead& head) {
  std::string text = head.method + " " + head.authority + " " + head.target +
                     (head.has_body ? " body" : "") +
                     (head.body_bytes ? " " + std::to_string(*head.body_bytes) : "") + "\n";
  for (const auto& [name, value] : head.headers) text += name + ": " + value + "\n";
  return text;
}

inline Task<Status> RespondWith(std::shared_ptr<GuestExchange> exchange,
                                int status,
                                std::string body,
                                http::Headers trailers = {}) {
  ResponseHead head;
  head.status = status;
  head.has_body = true;
  CO_RETURN_IF_ERROR(co_await exchange->SendHead(std::move(head)));
  CO_RETURN_IF_ERROR(co_await exchange->SendBody(std::move(body)));
  co_return co_await exchange->Finish(std::move(trailers));
}

// Responds with the head of the request.
inline Task<void> DescribeRequest(std::shared_ptr<GuestExchange> exchange) {
  std::string text = DescribeHead(exchange->head());
  Status sent = co_await RespondWith(exchange, 200, std::move(text));
  EXPECT_TRUE(sent.has_value());
}

// Responds with the body and the trailers of the request, piece by piece.
inline Task<void> EchoRequest(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead head;
  head.status = 200;
  head.has_body = true;
  Status sent = co_await exchange->SendHead(std::move(head));
  while (sent) {
    Result<std::string> piece = co_await exchange->ReadBody();
    if (!piece) co_return exchange->Abort();
    if (piece->empty()) break;
    sent = co_await exchange->SendBody(*std::move(piece));
  }
  http::Headers trailers = exchange->trailers();
  if (sent) sent = co_await exchange->Finish(std::move(trailers));
}

}  // namespace viv::gateway
