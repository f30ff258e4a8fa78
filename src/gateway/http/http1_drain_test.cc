// Bodies that nobody reads: what happens to the connection after the response.

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "gateway/http/connections.h"
#include "gateway/http/http1_test_support.h"

namespace viv::gateway {
namespace {

using std::chrono::seconds;

Task<void> Refuse(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead head;
  head.status = 403;
  head.has_body = true;
  head.body_bytes = 2;
  Status sent = co_await exchange->SendHead(std::move(head));
  std::string no = "no";
  if (sent) sent = co_await exchange->SendBody(std::move(no));
  http::Headers none;
  if (sent) sent = co_await exchange->Finish(std::move(none));
}

class Http1DrainTest : public testing::Test {
 protected:
  void Start(ExchangeHandler serve) {
    peer.Spawn(ServeHttp1(*peer.transport, "", std::move(serve)));
  }

  TestPeer peer;
};

TEST_F(Http1DrainTest, GoesOnAfterASmallBodyThatNobodyWantedAndThatCameLater) {
  Start(Refuse);
  for (std::string framing : {"Content-Length: 3\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"}) {
    peer.Send("POST / HTTP/1.1\r\nHost: h\r\n" + framing);
    EXPECT_EQ(peer.ReceiveTo("no"), "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    peer.LetWork();
    peer.Send(framing.starts_with("C") ? "abc" : "3\r\nabc\r\n0\r\n\r\n");
  }
  peer.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo("no"), "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  peer.Close();
  peer.RunToEnd();
}

TEST_F(Http1DrainTest, WaitsForABodyThatNobodyWantsOnlySoLongAndTakesOnlySoMuch) {
  for (bool is_endless : {true, false}) {
    TestPeer own;
    own.Spawn(ServeHttp1(*own.transport, "", Refuse));
    own.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    own.ReceiveTo("no");
    own.LetWork();
    EXPECT_FALSE(own.all_ended());
    std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    for (int i = 0; is_endless && i < 20; ++i) own.Send(chunk);
    if (!is_endless) own.PassTime(seconds(3));
    EXPECT_EQ(own.ReceiveToEnd(), "");
    EXPECT_FALSE(own.was_reset());
    own.Close();
    own.RunToEnd();
  }
}

Task<void> ReadOnce(std::shared_ptr<GuestExchange> exchange, bool& ended) {
  auto piece = co_await exchange->ReadBody();
  EXPECT_FALSE(piece);
  ended = true;
}

// As when an origin responds before it has the body.
Task<void> StopReadingAndRefuse(std::shared_ptr<GuestExchange> exchange) {
  auto executor = co_await asio::this_coro::executor;
  asio::cancellation_signal stop;
  bool ended = !exchange->head().has_body;
  if (!ended) {
    asio::co_spawn(executor, ReadOnce(exchange, ended),
                   asio::bind_cancellation_slot(stop.slot(), asio::detached));
  }
  co_await asio::post(executor, asio::use_awaitable);
  stop.emit(asio::cancellation_type::terminal);
  while (!ended) co_await asio::post(executor, asio::use_awaitable);
  co_await Refuse(exchange);
}

TEST_F(Http1DrainTest, GoesOnAfterABodyWhoseReaderWasStopped) {
  Start(StopReadingAndRefuse);
  peer.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n");
  peer.ReceiveTo("no");
  peer.Send("abcGET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.ReceiveTo("no"), "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  peer.Close();
  peer.RunToEnd();
}

}  // namespace
}  // namespace viv::gateway
