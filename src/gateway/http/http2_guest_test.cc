#include "gateway/http/http2_guest.h"

#include <gtest/gtest.h>

#include <atomic>

#include "gateway/http/http2_guest_test_support.h"

namespace viv::gateway {
namespace {

using std::chrono::milliseconds;

TEST(Http2GuestTest, ServesARequestAndItsAnswer) {
  Http2GuestFixture fixture(DescribeRequest);
  auto id = fixture.client.Request(GetFields("/a?b=c", {{"accept", "text/html"}}));
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].Get(":status"), "200");
  EXPECT_EQ(fixture.client.streams[id].body, "GET api.example.com /a?b=c\naccept: text/html\n");
  EXPECT_EQ(fixture.client.streams[id].closed, NGHTTP2_NO_ERROR);
}

TEST(Http2GuestTest, TellsItsLimitsAndOffersNoTunnels) {
  Http2GuestFixture fixture(DescribeRequest);
  ASSERT_TRUE(fixture.client.Sync());
  std::map<int, std::uint32_t> seen(fixture.client.settings_seen.begin(),
                                    fixture.client.settings_seen.end());
  EXPECT_EQ(seen[NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS], kHttp2StreamsMax);
  EXPECT_EQ(seen[NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE], kHttp2FieldBytesMax);
  EXPECT_EQ(seen[NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL], 0u);
}

TEST(Http2GuestTest, TakesBytesThatWereReadBefore) {
  Http2SocketPair pair = MakeHttp2SocketPair();
  Http2Peer client(Http2Peer::Role::kClient, std::move(pair.theirs));
  auto id = client.Request(GetFields("/early"));
  std::string already_read;  // the first bytes of the client
  const std::uint8_t* bytes = nullptr;
  ssize_t count = 0;
  while ((count = nghttp2_session_mem_send(client.raw(), &bytes)) > 0) {
    already_read.append(reinterpret_cast<const char*>(bytes), count);
  }
  Http2TestLoop loop;
  auto transport = loop.Adopt(std::move(pair.ours));
  auto served = loop.Start(ServeHttp2(*transport, already_read, DescribeRequest));
  ASSERT_TRUE(client.UntilClosed(id));
  EXPECT_EQ(client.streams[id].body, "GET api.example.com /early\n");
  client.Hangup();
  served.get();
}

TEST(Http2GuestTest, PassesTrailersBothWays) {
  Http2GuestFixture fixture(EchoRequest);
  auto id = fixture.client.Request(PostFields("/rpc", {{"te", "trailers"}}), "message",
                                   {{"grpc-status", "0"}, {"x-checksum", "abc"}});
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].body, "message");
  Http2Fields wanted{{"grpc-status", "0"}, {"x-checksum", "abc"}};
  EXPECT_EQ(fixture.client.streams[id].trailers, wanted);
}

Task<void> HintThenRespond(std::shared_ptr<GuestExchange> exchange) {
  ResponseHead hint;
  hint.status = 103;
  hint.headers.Add("Link", "</style.css>");
  Status sent = co_await exchange->SendHead(std::move(hint));
  EXPECT_TRUE(sent.has_value());
  ResponseHead switching;
  switching.status = 101;
  sent = co_await exchange->SendHead(std::move(switching));
  EXPECT_FALSE(sent.has_value());
  ResponseHead head;
  head.status = 204;
  sent = co_await exchange->SendHead(std::move(head));
  EXPECT_TRUE(sent.has_value());
  http::Headers none;
  sent = co_await exchange->Finish(std::move(none));
  EXPECT_TRUE(sent.has_value());
}

TEST(Http2GuestTest, SendsInterimHeadsAndAnswersWithoutBody) {
  Http2GuestFixture fixture(HintThenRespond);
  auto id = fixture.client.Request(GetFields("/"));
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  ASSERT_EQ(fixture.client.streams[id].heads.size(), 2u);
  EXPECT_EQ(fixture.client.streams[id].heads[0][0].second, "103");
  EXPECT_EQ(fixture.client.streams[id].heads[0][1].first, "link");
  EXPECT_EQ(fixture.client.streams[id].heads[1][0].second, "204");
  EXPECT_EQ(fixture.client.streams[id].body, "");
}

TEST(Http2GuestTest, PassesLargeBodiesBothWays) {
  Http2GuestFixture fixture(EchoRequest);
  std::string body;
  for (int i = 0; i < 1'000'000; ++i) body += std::to_string(i);
  auto id = fixture.client.Request(PostFields("/echo"), body);
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].body, body);
}

TEST(Http2GuestTest, ServesManyStreamsAtOnce) {
  Http2GuestFixture fixture(EchoRequest);
  std::map<std::int32_t, std::string> sent;
  for (int i = 0; i < 100; ++i) {
    std::string body(50'000 + i * 100, static_cast<char>('a' + i % 26));
    sent[fixture.client.Request(PostFields("/echo"), body)] = body;
  }
  for (const auto& [id, body] : sent) {
    ASSERT_TRUE(fixture.client.UntilClosed(id));
    EXPECT_EQ(fixture.client.streams[id].body, body);
  }
}

// Lets a handler wait until the test releases it.
struct Latch {
  explicit Latch(asio::any_io_executor executor) : signal(executor) {}
  Http2Signal signal;
  bool open = false;
};

TEST(Http2GuestTest, AGuestSendsNoMoreThanIsReadOfIt) {
  std::shared_ptr<Latch> latch;
  Http2GuestFixture fixture([&latch](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    latch = std::make_shared<Latch>(co_await asio::this_coro::executor);
    while (!latch->open) co_await latch->signal.Wait(std::chrono::hours(1));
    co_await EchoRequest(exchange);
  });
  ASSERT_TRUE(fixture.client.Sync());  // the settings are in effect then
  std::string body(1 << 20, 'x');
  auto id = fixture.client.Request(PostFields("/slow"), body);
  ASSERT_TRUE(fixture.client.Sync());
  EXPECT_EQ(fixture.client.streams[id].body_sent, kHttp2StreamWindow);
  fixture.loop.Run<void>([&] {
    latch->open = true;
    latch->signal.Notify();
  });
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].body, body);
  fixture.loop.Run<void>([&] { latch.reset(); });
}

TEST(Http2GuestTest, AnAnswerWaitsForASlowGuest) {
  std::atomic<std::size_t> sent = 0;
  Http2GuestFixture fixture(
      [&sent](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
        ResponseHead head;
        head.status = 200;
        head.has_body = true;
        Status status = co_await exchange->SendHead(std::move(head));
        for (int i = 0; i < 64 && status; ++i) {
          std::string piece(64 * 1024, 'y');
          status = co_await exchange->SendBody(std::move(piece));
          if (status) sent += 64 * 1024;
        }
        http::Headers none;
        if (status) status = co_await exchange->Finish(std::move(none));
        EXPECT_TRUE(status.has_value());
      },
      {}, {.entries = {}, .gives_window = false});
  auto id = fixture.client.Request(GetFields("/"));
  auto has_window_full = [&] { return fixture.client.streams[id].body.size() == 65'535; };
  ASSERT_TRUE(fixture.client.Until(has_window_full));
  ASSERT_TRUE(fixture.client.Sync());
  EXPECT_LE(sent, 3u * 64 * 1024);  // one piece that was sent and one that waits
  std::size_t already_read = 0;
  while (!fixture.client.streams[id].ended) {
    std::size_t before = fixture.client.streams[id].body.size();
    nghttp2_session_consume(fixture.client.raw(), id, before - already_read);
    already_read = before;
    auto moved = [&] {
      return fixture.client.streams[id].body.size() > before || fixture.client.streams[id].ended;
    };
    ASSERT_TRUE(fixture.client.Until(moved));
  }
  EXPECT_EQ(fixture.client.streams[id].body.size(), 64u * 64 * 1024);
}

TEST(Http2GuestTest, AStreamThatTheGuestResetsEndsItsExchange) {
  std::promise<Error> failure;
  Http2GuestFixture fixture([&](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    Result<std::string> piece = co_await exchange->ReadBody();
    EXPECT_EQ(piece.value_or("(failed)"), "part");
    piece = co_await exchange->ReadBody();
    failure.set_value(piece.has_value() ? Error{ErrorCode::kInternal, *piece} : piece.error());
    ResponseHead head;
    head.status = 200;
    Status sent = co_await exchange->SendHead(std::move(head));
    EXPECT_FALSE(sent.has_value());
    sent = co_await exchange->SendBody("x");
    EXPECT_FALSE(sent.has_value());
  });
  auto id = fixture.client.Begin(PostFields("/"));
  ASSERT_TRUE(fixture.client.Sync());
  fixture.client.SendRaw(Http2Frame(NGHTTP2_DATA, 0, id, "part"));
  ASSERT_TRUE(fixture.client.Sync());
  fixture.client.Reset(id, NGHTTP2_CANCEL);
  ASSERT_TRUE(fixture.client.Sync());
  EXPECT_EQ(failure.get_future().get().code, ErrorCode::kUnavailable);
}

// Neither reads nor answers a request, and returns when it is told that the guest has gone.
struct Patience {
  Task<void> Serve(std::shared_ptr<GuestExchange> exchange) {
    auto ended = std::make_shared<Latch>(co_await asio::this_coro::executor);
    exchange->on_gone = [this, ended] {
      gone.set_value();
      ended->open = true;
      ended->signal.Notify();
    };
    begun.set_value();
    while (!ended->open) co_await ended->signal.Wait(std::chrono::hours(1));
  }
  std::promise<void> begun, gone;
};

TEST(Http2GuestTest, WhoServesIsToldThatTheStreamWasReset) {
  Patience patience;
  Http2GuestFixture fixture(
      [&](std::shared_ptr<GuestExchange> exchange) { return patience.Serve(exchange); });
  auto id = fixture.client.Request(GetFields("/"));
  fixture.client.Flush();
  patience.begun.get_future().get();
  fixture.client.Reset(id, NGHTTP2_CANCEL);
  fixture.client.Flush();
  patience.gone.get_future().get();
}

TEST(Http2GuestTest, WhoServesIsToldThatTheConnectionBroke) {
  Patience patience;
  Http2GuestFixture fixture(
      [&](std::shared_ptr<GuestExchange> exchange) { return patience.Serve(exchange); });
  fixture.client.Request(GetFields("/"));
  fixture.client.Flush();
  patience.begun.get_future().get();
  fixture.client.Hangup();
  patience.gone.get_future().get();
  fixture.done.wait();
}

TEST(Http2GuestTest, TheRestOfARequestThatWasAnsweredIsForgotten) {
  Http2GuestFixture fixture(DescribeRequest);
  ASSERT_TRUE(fixture.client.Sync());
  // More bytes in total than the window of the connection.
  for (int i = 0; i < 3; ++i) {
    auto id = fixture.client.Request(PostFields("/"), std::string(1 << 20, 'x'));
    ASSERT_TRUE(fixture.client.UntilClosed(id));
    EXPECT_EQ(fixture.client.streams[id].closed, NGHTTP2_NO_ERROR);
    EXPECT_EQ(fixture.client.streams[id].body, "POST api.example.com / body\n");
    EXPECT_EQ(fixture.client.streams[id].body_sent, 1u << 20);
  }
}

TEST(Http2GuestTest, ARequestThatDoesNotEndAfterItsAnswerIsStopped) {
  Http2GuestFixture fixture(DescribeRequest, {.drain_bytes = 300'000});
  ASSERT_TRUE(fixture.client.Sync());
  auto id = fixture.client.Request(PostFields("/"), std::string(8 << 20, 'x'));
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].closed, NGHTTP2_NO_ERROR);
  EXPECT_EQ(fixture.client.streams[id].body, "POST api.example.com / body\n");
  EXPECT_LT(fixture.client.streams[id].body_sent, 8u << 20);
}

TEST(Http2GuestTest, AnExchangeWithoutAnAnswerIsReset) {
  Http2GuestFixture fixture([](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    if (exchange->head().target == "/throw") throw std::runtime_error("failed");
    if (exchange->head().target == "/abort") {
      ResponseHead head;
      head.status = 200;
      head.has_body = true;
      Status sent = co_await exchange->SendHead(std::move(head));
      EXPECT_TRUE(sent.has_value());
      exchange->Abort();
    }
  });
  for (std::string_view path : {"/none", "/throw", "/abort"}) {
    auto id = fixture.client.Request(GetFields(path));
    ASSERT_TRUE(fixture.client.UntilClosed(id)) << path;
    EXPECT_EQ(fixture.client.streams[id].closed, NGHTTP2_INTERNAL_ERROR) << path;
  }
}

TEST(Http2GuestTest, AnIdleConnectionEndsWithGoaway) {
  Http2GuestFixture fixture(DescribeRequest);
  auto id = fixture.client.Request(GetFields("/"));
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  ASSERT_TRUE(fixture.client.Sync());
  fixture.TickAfter(milliseconds(70'000));
  ASSERT_TRUE(fixture.client.Sync());
  fixture.TickAfter(milliseconds(76'000));
  EXPECT_TRUE(fixture.client.Until([&] { return fixture.client.goaway.has_value(); }));
  EXPECT_EQ(fixture.client.goaway, NGHTTP2_NO_ERROR);
  EXPECT_TRUE(fixture.client.UntilEnd());
}

TEST(Http2GuestTest, AConnectionIsNotIdleWhileARequestIsServed) {
  std::shared_ptr<Latch> latch;
  Http2GuestFixture fixture([&latch](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    latch = std::make_shared<Latch>(co_await asio::this_coro::executor);
    while (!latch->open) co_await latch->signal.Wait(std::chrono::hours(1));
    co_await DescribeRequest(exchange);
  });
  auto id = fixture.client.Request(GetFields("/"));
  ASSERT_TRUE(fixture.client.Sync());
  fixture.TickAfter(milliseconds(200'000));
  fixture.loop.Run<void>([&] {
    latch->open = true;
    latch->signal.Notify();
  });
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].Get(":status"), "200");
  fixture.loop.Run<void>([&] { latch.reset(); });
}

TEST(Http2GuestTest, ABodyThatStopsComingIsNotWaitedForForever) {
  std::promise<Error> failure;
  Http2GuestFixture fixture(
      [&](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
        Result<std::string> piece = co_await exchange->ReadBody();
        failure.set_value(piece.has_value() ? Error{ErrorCode::kInternal, *piece} : piece.error());
      },
      {.stream_timeout = milliseconds(5)});
  auto id = fixture.client.Begin(PostFields("/"));
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  Error error = failure.get_future().get();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(error.message, "the guest was silent for too long");
}

TEST(Http2GuestTest, AGuestThatTakesNothingLosesItsStream) {
  Http2GuestFixture fixture(
      [](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
        std::string body(1 << 20, 'x');
        Status sent = co_await RespondWith(exchange, 200, std::move(body));
        EXPECT_EQ(sent.error().message, "the guest was silent for too long");
      },
      {.stream_timeout = milliseconds(5)}, {.entries = {}, .gives_window = false});
  auto id = fixture.client.Request(GetFields("/"));
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].closed, NGHTTP2_CANCEL);
}

TEST(Http2GuestTest, CancellationEndsItInGoodOrder) {
  std::promise<void> begun;
  Http2GuestFixture fixture([&begun](std::shared_ptr<GuestExchange> exchange) -> Task<void> {
    begun.set_value();
    Result<std::string> piece = co_await exchange->ReadBody();
    EXPECT_FALSE(piece.has_value());
  });
  fixture.client.Begin(PostFields("/"));
  fixture.client.Flush();
  begun.get_future().get();
  fixture.Cancel();
  fixture.done.wait();
}

TEST(Http2GuestTest, AGuestThatSendsGoawayStillGetsItsResponse) {
  Http2GuestFixture fixture(DescribeRequest);
  auto id = fixture.client.Request(GetFields("/"));
  fixture.client.Flush();
  nghttp2_submit_goaway(fixture.client.raw(), NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, nullptr, 0);
  ASSERT_TRUE(fixture.client.UntilClosed(id));
  EXPECT_EQ(fixture.client.streams[id].Get(":status"), "200");
  EXPECT_TRUE(fixture.client.UntilEnd());  // the connection is closed because no request can follow
}

}  // namespace
}  // namespace viv::gateway
