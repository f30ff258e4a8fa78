#include "gateway/http/http2_origin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/http/http2_origin_test_support.h"

namespace viv::gateway {
namespace {

using std::chrono::milliseconds;

TEST(Http2OriginTest, SendsARequestAndReadsItsAnswer) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  RequestHead head = SomeHead();
  head.headers.Add("Authorization", "Bearer secret");
  head.headers.Add("X-Api-Key", "secret");
  head.headers.Add("User-Agent", "test");
  ASSERT_TRUE(fixture.Send(*exchange, head).get().has_value());
  auto response = fixture.loop.Start(ReadAll(*exchange));
  ASSERT_TRUE(fixture.UntilRequest(1));
  Http2Fields wanted{{":method", "GET"},
                     {":scheme", "http"},
                     {":authority", "api.example.com"},
                     {":path", "/v1/things?x=y"},
                     {"authorization", "Bearer secret"},
                     {"x-api-key", "secret"},
                     {"user-agent", "test"}};
  EXPECT_EQ(fixture.server.streams[1].heads[0], wanted);
  EXPECT_TRUE(fixture.server.streams[1].ended);
  std::vector<std::string> unindexed{":path", "authorization", "x-api-key"};
  EXPECT_EQ(fixture.server.streams[1].never_indexed, unindexed);
  fixture.server.Interim(1, {{":status", "103"}, {"link", "</a>"}});
  fixture.server.Respond(1, {{":status", "200"}, {"content-length", "5"}}, "hello",
                         {{"grpc-status", "0"}});
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  Outcome outcome = response.get();
  ASSERT_FALSE(outcome.failure);
  ASSERT_EQ(outcome.heads.size(), 2u);
  EXPECT_EQ(outcome.heads[0].status, 103);
  EXPECT_EQ(outcome.heads[0].headers.Get("link"), "</a>");
  EXPECT_EQ(outcome.heads[1].status, 200);
  EXPECT_EQ(outcome.heads[1].body_bytes, 5u);
  EXPECT_TRUE(outcome.heads[1].has_body);
  EXPECT_EQ(outcome.body, "hello");
  EXPECT_EQ(outcome.trailers.Get("grpc-status"), "0");
  fixture.Drop(exchange);
}

Task<Status> SendInPieces(OriginExchange& exchange, std::string body, http::Headers trailers) {
  for (std::size_t at = 0; at < body.size(); at += 60'000) {
    std::string piece = body.substr(at, 60'000);
    CO_RETURN_IF_ERROR(co_await exchange.SendBody(std::move(piece)));
  }
  co_return co_await exchange.Finish(std::move(trailers));
}

TEST(Http2OriginTest, SendsLargeBodiesAndTrailers) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  ASSERT_TRUE(fixture.Send(*exchange, SomeHead("POST")).get().has_value());
  std::string body(3 << 20, 'b');
  http::Headers trailers;
  trailers.Add("X-Sum", "1");
  auto sent = fixture.loop.Start(SendInPieces(*exchange, body, trailers));
  ASSERT_TRUE(fixture.server.Until([&] { return fixture.server.streams[1].ended; }));
  EXPECT_TRUE(sent.get().has_value());
  EXPECT_EQ(fixture.server.streams[1].body, body);
  Http2Fields wanted{{"x-sum", "1"}};
  EXPECT_EQ(fixture.server.streams[1].trailers, wanted);
  fixture.server.Respond(1, {{":status", "204"}});
  Outcome outcome = [&] {
    auto response = fixture.loop.Start(ReadAll(*exchange));
    EXPECT_TRUE(fixture.server.UntilClosed(1));
    return response.get();
  }();
  ASSERT_EQ(outcome.heads.size(), 1u);
  EXPECT_FALSE(outcome.heads[0].has_body);
  fixture.Drop(exchange);
}

TEST(Http2OriginTest, AnOriginSendsNoMoreThanIsReadOfIt) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  ASSERT_TRUE(fixture.Send(*exchange, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.UntilRequest(1));
  ASSERT_TRUE(fixture.server.Sync());
  std::string body(1 << 20, 'x');
  fixture.server.Respond(1, {{":status", "200"}}, body);
  ASSERT_TRUE(fixture.server.Sync());
  EXPECT_EQ(fixture.server.streams[1].body_sent, kHttp2StreamWindow);
  auto response = fixture.loop.Start(ReadAll(*exchange));
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  EXPECT_EQ(response.get().body, body);
  fixture.Drop(exchange);
}

TEST(Http2OriginTest, OpensAsManyAsTheOriginAllows) {
  Http2OriginFixture fixture({}, {.entries = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 2}}});
  ASSERT_TRUE(fixture.server.Sync());
  auto first = fixture.Open();
  EXPECT_TRUE(fixture.CanOpen());
  auto second = fixture.Open();
  EXPECT_FALSE(fixture.CanOpen());
  EXPECT_FALSE(fixture.loop.Run<bool>([&] { return fixture.connection->Open().has_value(); }));
  fixture.Drop(first);
  EXPECT_TRUE(fixture.CanOpen());
  EXPECT_FALSE(fixture.loop.Run<bool>([&] { return fixture.connection->IsIdle(); }));
  fixture.Drop(second);
  EXPECT_TRUE(fixture.loop.Run<bool>([&] { return fixture.connection->IsIdle(); }));
}

// How an exchange fails if its stream ends like this.
Outcome FailedBy(std::function<void(Http2OriginFixture&)> end) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  EXPECT_TRUE(fixture.Send(*exchange, SomeHead()).get().has_value());
  auto response = fixture.loop.Start(ReadAll(*exchange));
  EXPECT_TRUE(fixture.UntilRequest(1));
  end(fixture);
  fixture.server.Flush();
  Outcome outcome = response.get();
  fixture.Drop(exchange);
  return outcome;
}

TEST(Http2OriginTest, ARefusedStreamMayBeSentAgain) {
  Outcome outcome = FailedBy(
      [](Http2OriginFixture& fixture) { fixture.server.Reset(1, NGHTTP2_REFUSED_STREAM); });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, ErrorCode::kUnavailable);
  EXPECT_EQ(outcome.delivery, OriginExchange::Delivery::kUnprocessed);
}

TEST(Http2OriginTest, AStreamThatWasResetOtherwiseMayNot) {
  Outcome outcome = FailedBy(
      [](Http2OriginFixture& fixture) { fixture.server.Reset(1, NGHTTP2_INTERNAL_ERROR); });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->message, "the origin ended the stream: INTERNAL_ERROR");
  EXPECT_EQ(outcome.delivery, OriginExchange::Delivery::kMaybeProcessed);
}

TEST(Http2OriginTest, AConnectionThatEndsBeforeAnAnswerMayHaveMissedTheRequest) {
  Outcome outcome = FailedBy([](Http2OriginFixture& fixture) { fixture.server.Hangup(); });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, ErrorCode::kUnavailable);
  EXPECT_EQ(outcome.delivery, OriginExchange::Delivery::kMaybeLost);
}

TEST(Http2OriginTest, AnAnswerThatBreaksOffMayNotBeAskedForAgain) {
  Outcome outcome = FailedBy([](Http2OriginFixture& fixture) {
    fixture.server.Interim(1, {{":status", "200"}});
    fixture.server.Flush();
    fixture.server.SendRaw(Http2Frame(NGHTTP2_DATA, 0, 1, "half"));
    EXPECT_TRUE(fixture.server.Sync());
    fixture.server.Hangup();
  });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.heads.size(), 1u);
  EXPECT_EQ(outcome.delivery, OriginExchange::Delivery::kMaybeProcessed);
}

TEST(Http2OriginTest, AfterGoawayTheRunningEndAndTheRestIsUnprocessed) {
  Http2OriginFixture fixture;
  auto first = fixture.Open();
  auto second = fixture.Open();
  ASSERT_TRUE(fixture.Send(*first, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.Send(*second, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.UntilRequest(3));
  auto refused = fixture.loop.Start(ReadAll(*second));
  nghttp2_submit_goaway(fixture.server.raw(), NGHTTP2_FLAG_NONE, 1, NGHTTP2_NO_ERROR, nullptr, 0);
  fixture.server.Flush();
  Outcome outcome = refused.get();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.delivery, OriginExchange::Delivery::kUnprocessed);
  EXPECT_FALSE(fixture.CanOpen());
  auto response = fixture.loop.Start(ReadAll(*first));
  fixture.server.Respond(1, {{":status", "200"}}, "still");
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  EXPECT_EQ(response.get().body, "still");
  EXPECT_TRUE(fixture.server.UntilEnd());
  fixture.Drop(first);
  fixture.Drop(second);
}

TEST(Http2OriginTest, AConnectionThatDiedWhileIdleOpensNothing) {
  Http2OriginFixture fixture;
  ASSERT_TRUE(fixture.server.Sync());
  EXPECT_TRUE(fixture.CanOpen());
  fixture.server.Hangup();
  EXPECT_FALSE(fixture.CanOpen());
}

TEST(Http2OriginTest, AnExchangeOnAConnectionThatHasEndedMayBeSentAgain) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  fixture.loop.Run<void>([&] { fixture.connection->Close(); });
  EXPECT_FALSE(fixture.CanOpen());
  EXPECT_FALSE(fixture.Send(*exchange, SomeHead()).get().has_value());
  EXPECT_EQ(fixture.loop.Start(ReadAll(*exchange)).get().delivery,
            OriginExchange::Delivery::kUnprocessed);
  fixture.Drop(exchange);
}

TEST(Http2OriginTest, AnEarlyAnswerIsReadAlthoughTheRestOfTheRequestIsNotWanted) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  ASSERT_TRUE(fixture.Send(*exchange, SomeHead("POST")).get().has_value());
  std::string body(1 << 20, 'b');
  auto sent = fixture.loop.Start(SendInPieces(*exchange, body, {}));
  ASSERT_TRUE(fixture.UntilRequest(1));
  fixture.server.Respond(1, {{":status", "413"}}, "too large");
  fixture.server.Flush();
  fixture.server.Reset(1, NGHTTP2_NO_ERROR);
  fixture.server.Flush();
  EXPECT_FALSE(sent.get().has_value());
  Outcome outcome = fixture.loop.Start(ReadAll(*exchange)).get();
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.body, "too large");
  fixture.Drop(exchange);
}

TEST(Http2OriginTest, AnOriginMayResetEachStreamThatItHasAnswered) {
  Http2OriginFixture fixture;
  ASSERT_TRUE(fixture.server.Sync());
  auto running = fixture.Open();
  ASSERT_TRUE(fixture.Send(*running, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.UntilRequest(1));
  for (std::size_t i = 0; i < kHttp2ResetsMax + 50; ++i) {
    std::int32_t id = 3 + 2 * static_cast<std::int32_t>(i);
    auto exchange = fixture.Open();
    ASSERT_TRUE(fixture.Send(*exchange, SomeHead("POST")).get().has_value());
    ASSERT_TRUE(fixture.UntilRequest(id));
    fixture.server.Respond(id, {{":status", "200"}}, "early");
    fixture.server.Flush();
    fixture.server.Reset(id, NGHTTP2_NO_ERROR);
    fixture.server.Flush();
    Outcome outcome = fixture.loop.Start(ReadAll(*exchange)).get();
    ASSERT_FALSE(outcome.failure) << i << ": " << outcome.failure->message;
    EXPECT_EQ(outcome.body, "early");
    fixture.Drop(exchange);
  }
  EXPECT_TRUE(fixture.CanOpen());
  auto response = fixture.loop.Start(ReadAll(*running));
  fixture.server.Respond(1, {{":status", "200"}}, "whole");
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  EXPECT_EQ(response.get().body, "whole");
  fixture.Drop(running);
}

TEST(Http2OriginTest, AnExchangeThatIsGivenUpIsResetAndTheConnectionGoesOn) {
  Http2OriginFixture fixture;
  auto given_up = fixture.Open();
  ASSERT_TRUE(fixture.Send(*given_up, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.UntilRequest(1));
  ASSERT_TRUE(fixture.server.Sync());
  fixture.server.Respond(1, {{":status", "200"}}, std::string(1 << 20, 'x'));
  ASSERT_TRUE(fixture.server.Sync());
  fixture.Drop(given_up);
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  EXPECT_EQ(fixture.server.streams[1].closed, NGHTTP2_CANCEL);
  // Unread bytes are returned to the window of the connection.
  for (int i = 0; i < 20; ++i) {
    std::int32_t id = 3 + 2 * i;
    auto next = fixture.Open();
    ASSERT_TRUE(fixture.Send(*next, SomeHead()).get().has_value());
    ASSERT_TRUE(fixture.UntilRequest(id));
    auto response = fixture.loop.Start(ReadAll(*next));
    fixture.server.Respond(id, {{":status", "200"}}, std::string(200'000, 'y'));
    ASSERT_TRUE(fixture.server.UntilClosed(id));
    EXPECT_EQ(response.get().body.size(), 200'000u);
    fixture.Drop(next);
  }
}

TEST(Http2OriginTest, AConnectionWithoutOwnerEndsAfterItsLastExchange) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  ASSERT_TRUE(fixture.Send(*exchange, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.UntilRequest(1));
  fixture.loop.Run<void>([&] { fixture.connection.reset(); });
  auto response = fixture.loop.Start(ReadAll(*exchange));
  fixture.server.Respond(1, {{":status", "200"}}, "whole");
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  EXPECT_EQ(response.get().body, "whole");
  EXPECT_FALSE(fixture.server.goaway);
  fixture.Drop(exchange);
  EXPECT_TRUE(fixture.server.UntilEnd());
  EXPECT_EQ(fixture.server.goaway, NGHTTP2_NO_ERROR);
}

TEST(Http2OriginTest, ClosingAnIdleConnectionSendsGoaway) {
  Http2OriginFixture fixture;
  ASSERT_TRUE(fixture.server.Sync());
  fixture.loop.Run<void>([&] { fixture.connection->Close(); });
  EXPECT_FALSE(fixture.CanOpen());
  EXPECT_TRUE(fixture.server.UntilEnd());
  EXPECT_EQ(fixture.server.goaway, NGHTTP2_NO_ERROR);
}

TEST(Http2OriginTest, UpgradesAndMalformedHeadsAreNotSent) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  RequestHead head = SomeHead();
  head.upgrade = "websocket";
  EXPECT_EQ(fixture.Send(*exchange, head).get().error().code, ErrorCode::kInvalidArgument);
  head = SomeHead();
  head.headers.Add("x", "a\r\nb: c");
  EXPECT_EQ(fixture.Send(*exchange, head).get().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(fixture.loop.Start(ReadAll(*exchange)).get().delivery,
            OriginExchange::Delivery::kMaybeProcessed);
  fixture.Drop(exchange);
  EXPECT_TRUE(fixture.CanOpen());
}

TEST(Http2OriginTest, ASilentOriginIsNotWaitedForForever) {
  Http2OriginFixture fixture({.stream_timeout = milliseconds(5)});
  auto exchange = fixture.Open();
  ASSERT_TRUE(fixture.Send(*exchange, SomeHead()).get().has_value());
  Outcome outcome = fixture.loop.Start(ReadAll(*exchange)).get();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->message, "the origin was silent for too long");
  ASSERT_TRUE(fixture.server.UntilClosed(1));
  EXPECT_EQ(fixture.server.streams[1].closed, NGHTTP2_CANCEL);
  fixture.Drop(exchange);
}

TEST(Http2OriginTest, AWaitThatIsCancelledEnds) {
  Http2OriginFixture fixture;
  auto exchange = fixture.Open();
  ASSERT_TRUE(fixture.Send(*exchange, SomeHead()).get().has_value());
  ASSERT_TRUE(fixture.UntilRequest(1));
  asio::cancellation_signal signal;
  std::promise<bool> threw;
  fixture.loop.Run<void>([&] {
    auto on_end = [&](std::exception_ptr failure, Outcome outcome) {
      threw.set_value(failure != nullptr || outcome.failure.has_value());
    };
    asio::co_spawn(fixture.loop.executor(), ReadAll(*exchange),
                   asio::bind_cancellation_slot(signal.slot(), on_end));
  });
  fixture.loop.Run<void>([&] { signal.emit(asio::cancellation_type::terminal); });
  EXPECT_TRUE(threw.get_future().get());
  fixture.Drop(exchange);
  ASSERT_TRUE(fixture.server.UntilClosed(1));
}

TEST(Http2OriginTest, HostileHeadsOfAnswersAreRefused) {
  Outcome outcome = FailedBy([](Http2OriginFixture& fixture) {
    fixture.server.Respond(1, {{":status", "200"}, {"x", std::string(70'000, 'x')}});
  });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, ErrorCode::kLimitExceeded);
  outcome = FailedBy([](Http2OriginFixture& fixture) {
    for (int i = 0; i < 100; ++i) fixture.server.Interim(1, {{":status", "103"}});
  });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->message, "the origin sent too many headers");
  outcome = FailedBy([](Http2OriginFixture& fixture) {
    fixture.server.Respond(1, {{":status", "101"}});
  });
  EXPECT_TRUE(outcome.failure);
  outcome = FailedBy([](Http2OriginFixture& fixture) {
    fixture.server.Respond(1, {{":status", "200"}, {"x", "a\r\nset-cookie: b"}});
  });
  EXPECT_TRUE(outcome.failure);
}

TEST(Http2OriginTest, ABodyThatIsNotAsLongAsPromisedIsAFailure) {
  for (std::string_view length : {"3", "9"}) {
    Outcome outcome = FailedBy([&](Http2OriginFixture& fixture) {
      fixture.server.Respond(1, {{":status", "200"}, {"content-length", std::string(length)}},
                             "four");
    });
    EXPECT_TRUE(outcome.failure) << length;
    EXPECT_EQ(outcome.delivery, OriginExchange::Delivery::kMaybeProcessed);
  }
}

TEST(Http2OriginTest, AnOriginThatBreaksTheProtocolIsAFailure) {
  std::string push = std::string(
      "\0\0\0\x02\x82\x87\x84\x41\x01"
      "a",
      10);
  for (std::string bytes : {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
                            Http2Frame(NGHTTP2_PUSH_PROMISE, NGHTTP2_FLAG_END_HEADERS, 1, push),
                            Http2Frame(NGHTTP2_DATA, 0, 7, "of no stream"),
                            Http2Frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string(4, '\0'))}) {
    Outcome outcome = FailedBy([&](Http2OriginFixture& fixture) { fixture.server.SendRaw(bytes); });
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->code, ErrorCode::kUnavailable);
  }
}

}  // namespace
}  // namespace viv::gateway
