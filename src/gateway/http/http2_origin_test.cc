#include "gateway/http/http2_origin.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gateway/http/http2_origin_rig.h"

namespace viv::gateway {
namespace {

using std::chrono::milliseconds;

TEST(Http2OriginTest, SendsARequestAndReadsItsAnswer) {
  OriginRig rig;
  auto exchange = rig.Open();
  RequestHead head = SomeHead();
  head.headers.Add("Authorization", "Bearer secret");
  head.headers.Add("X-Api-Key", "secret");
  head.headers.Add("User-Agent", "test");
  ASSERT_TRUE(rig.Send(*exchange, head).get().has_value());
  auto answer = rig.loop.Start(ReadAll(*exchange));
  ASSERT_TRUE(rig.UntilRequest(1));
  Http2Fields wanted{{":method", "GET"},
                     {":scheme", "http"},
                     {":authority", "api.example.com"},
                     {":path", "/v1/things?x=y"},
                     {"authorization", "Bearer secret"},
                     {"x-api-key", "secret"},
                     {"user-agent", "test"}};
  EXPECT_EQ(rig.server.streams[1].heads[0], wanted);
  EXPECT_TRUE(rig.server.streams[1].ended);
  std::vector<std::string> unindexed{":path", "authorization", "x-api-key"};
  EXPECT_EQ(rig.server.streams[1].never_indexed, unindexed);
  rig.server.Interim(1, {{":status", "103"}, {"link", "</a>"}});
  rig.server.Respond(1, {{":status", "200"}, {"content-length", "5"}}, "hello",
                     {{"grpc-status", "0"}});
  ASSERT_TRUE(rig.server.UntilClosed(1));
  Outcome outcome = answer.get();
  ASSERT_FALSE(outcome.failure);
  ASSERT_EQ(outcome.heads.size(), 2u);
  EXPECT_EQ(outcome.heads[0].status, 103);
  EXPECT_EQ(outcome.heads[0].headers.Get("link"), "</a>");
  EXPECT_EQ(outcome.heads[1].status, 200);
  EXPECT_EQ(outcome.heads[1].body_bytes, 5u);
  EXPECT_TRUE(outcome.heads[1].has_body);
  EXPECT_EQ(outcome.body, "hello");
  EXPECT_EQ(outcome.trailers.Get("grpc-status"), "0");
  rig.Drop(exchange);
}

Task<Status> SendInPieces(OriginExchange& exchange, std::string body, http::Headers trailers) {
  for (std::size_t at = 0; at < body.size(); at += 60'000) {
    std::string piece = body.substr(at, 60'000);
    CO_RETURN_IF_ERROR(co_await exchange.SendBody(std::move(piece)));
  }
  co_return co_await exchange.Finish(std::move(trailers));
}

TEST(Http2OriginTest, SendsLargeBodiesAndTrailers) {
  OriginRig rig;
  auto exchange = rig.Open();
  ASSERT_TRUE(rig.Send(*exchange, SomeHead("POST")).get().has_value());
  std::string body(3 << 20, 'b');
  http::Headers trailers;
  trailers.Add("X-Sum", "1");
  auto sent = rig.loop.Start(SendInPieces(*exchange, body, trailers));
  ASSERT_TRUE(rig.server.Until([&] { return rig.server.streams[1].ended; }));
  EXPECT_TRUE(sent.get().has_value());
  EXPECT_EQ(rig.server.streams[1].body, body);
  Http2Fields wanted{{"x-sum", "1"}};
  EXPECT_EQ(rig.server.streams[1].trailers, wanted);
  rig.server.Respond(1, {{":status", "204"}});
  Outcome outcome = [&] {
    auto answer = rig.loop.Start(ReadAll(*exchange));
    EXPECT_TRUE(rig.server.UntilClosed(1));
    return answer.get();
  }();
  ASSERT_EQ(outcome.heads.size(), 1u);
  EXPECT_FALSE(outcome.heads[0].has_body);
  rig.Drop(exchange);
}

TEST(Http2OriginTest, AnOriginSendsNoMoreThanIsReadOfIt) {
  OriginRig rig;
  auto exchange = rig.Open();
  ASSERT_TRUE(rig.Send(*exchange, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.UntilRequest(1));
  ASSERT_TRUE(rig.server.Sync());
  std::string body(1 << 20, 'x');
  rig.server.Respond(1, {{":status", "200"}}, body);
  ASSERT_TRUE(rig.server.Sync());
  EXPECT_EQ(rig.server.streams[1].body_sent, kHttp2StreamWindow);
  auto answer = rig.loop.Start(ReadAll(*exchange));
  ASSERT_TRUE(rig.server.UntilClosed(1));
  EXPECT_EQ(answer.get().body, body);
  rig.Drop(exchange);
}

TEST(Http2OriginTest, OpensAsManyAsTheOriginAllows) {
  OriginRig rig({}, {.entries = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 2}}});
  ASSERT_TRUE(rig.server.Sync());
  auto first = rig.Open();
  EXPECT_TRUE(rig.CanOpen());
  auto second = rig.Open();
  EXPECT_FALSE(rig.CanOpen());
  EXPECT_FALSE(rig.loop.Run<bool>([&] { return rig.connection->Open().has_value(); }));
  rig.Drop(first);
  EXPECT_TRUE(rig.CanOpen());
  EXPECT_FALSE(rig.loop.Run<bool>([&] { return rig.connection->IsIdle(); }));
  rig.Drop(second);
  EXPECT_TRUE(rig.loop.Run<bool>([&] { return rig.connection->IsIdle(); }));
}

// How an exchange fails whose stream ends like this.
Outcome FailedBy(std::function<void(OriginRig&)> end) {
  OriginRig rig;
  auto exchange = rig.Open();
  EXPECT_TRUE(rig.Send(*exchange, SomeHead()).get().has_value());
  auto answer = rig.loop.Start(ReadAll(*exchange));
  EXPECT_TRUE(rig.UntilRequest(1));
  end(rig);
  rig.server.Flush();
  Outcome outcome = answer.get();
  rig.Drop(exchange);
  return outcome;
}

TEST(Http2OriginTest, ARefusedStreamMayBeSentAgain) {
  Outcome outcome = FailedBy([](OriginRig& rig) { rig.server.Reset(1, NGHTTP2_REFUSED_STREAM); });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, ErrorCode::kUnavailable);
  EXPECT_EQ(outcome.fate, OriginExchange::Fate::kUntouched);
}

TEST(Http2OriginTest, AStreamThatWasResetOtherwiseMayNot) {
  Outcome outcome = FailedBy([](OriginRig& rig) { rig.server.Reset(1, NGHTTP2_INTERNAL_ERROR); });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->message, "the origin ended the stream: INTERNAL_ERROR");
  EXPECT_EQ(outcome.fate, OriginExchange::Fate::kMayBeDone);
}

TEST(Http2OriginTest, AConnectionThatEndsBeforeAnAnswerMayHaveMissedTheRequest) {
  Outcome outcome = FailedBy([](OriginRig& rig) { rig.server.Hangup(); });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, ErrorCode::kUnavailable);
  EXPECT_EQ(outcome.fate, OriginExchange::Fate::kMayBeLost);
}

TEST(Http2OriginTest, AnAnswerThatBreaksOffMayNotBeAskedForAgain) {
  Outcome outcome = FailedBy([](OriginRig& rig) {
    rig.server.Interim(1, {{":status", "200"}});
    rig.server.Flush();
    rig.server.SendRaw(Http2Frame(NGHTTP2_DATA, 0, 1, "half"));
    EXPECT_TRUE(rig.server.Sync());
    rig.server.Hangup();
  });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.heads.size(), 1u);
  EXPECT_EQ(outcome.fate, OriginExchange::Fate::kMayBeDone);
}

TEST(Http2OriginTest, AfterGoawayTheRunningEndAndTheRestIsUnprocessed) {
  OriginRig rig;
  auto first = rig.Open();
  auto second = rig.Open();
  ASSERT_TRUE(rig.Send(*first, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.Send(*second, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.UntilRequest(3));
  auto refused = rig.loop.Start(ReadAll(*second));
  nghttp2_submit_goaway(rig.server.raw(), NGHTTP2_FLAG_NONE, 1, NGHTTP2_NO_ERROR, nullptr, 0);
  rig.server.Flush();
  Outcome outcome = refused.get();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.fate, OriginExchange::Fate::kUntouched);
  EXPECT_FALSE(rig.CanOpen());
  auto answer = rig.loop.Start(ReadAll(*first));
  rig.server.Respond(1, {{":status", "200"}}, "still");
  ASSERT_TRUE(rig.server.UntilClosed(1));
  EXPECT_EQ(answer.get().body, "still");
  EXPECT_TRUE(rig.server.UntilEnd());
  rig.Drop(first);
  rig.Drop(second);
}

TEST(Http2OriginTest, AConnectionThatDiedWhileIdleOpensNothing) {
  OriginRig rig;
  ASSERT_TRUE(rig.server.Sync());
  EXPECT_TRUE(rig.CanOpen());
  rig.server.Hangup();
  EXPECT_FALSE(rig.CanOpen());
}

TEST(Http2OriginTest, AnExchangeOnAConnectionThatHasEndedMayBeSentAgain) {
  OriginRig rig;
  auto exchange = rig.Open();
  rig.loop.Run<void>([&] { rig.connection->Close(); });
  EXPECT_FALSE(rig.CanOpen());
  EXPECT_FALSE(rig.Send(*exchange, SomeHead()).get().has_value());
  EXPECT_EQ(rig.loop.Start(ReadAll(*exchange)).get().fate, OriginExchange::Fate::kUntouched);
  rig.Drop(exchange);
}

TEST(Http2OriginTest, AnEarlyAnswerIsReadAlthoughTheRestOfTheRequestIsNotWanted) {
  OriginRig rig;
  auto exchange = rig.Open();
  ASSERT_TRUE(rig.Send(*exchange, SomeHead("POST")).get().has_value());
  std::string body(1 << 20, 'b');
  auto sent = rig.loop.Start(SendInPieces(*exchange, body, {}));
  ASSERT_TRUE(rig.UntilRequest(1));
  rig.server.Respond(1, {{":status", "413"}}, "too large");
  rig.server.Flush();
  rig.server.Reset(1, NGHTTP2_NO_ERROR);
  rig.server.Flush();
  EXPECT_FALSE(sent.get().has_value());
  Outcome outcome = rig.loop.Start(ReadAll(*exchange)).get();
  EXPECT_FALSE(outcome.failure);
  EXPECT_EQ(outcome.body, "too large");
  rig.Drop(exchange);
}

TEST(Http2OriginTest, AnOriginMayResetEachStreamThatItHasAnswered) {
  OriginRig rig;
  ASSERT_TRUE(rig.server.Sync());
  auto running = rig.Open();
  ASSERT_TRUE(rig.Send(*running, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.UntilRequest(1));
  for (std::size_t i = 0; i < kHttp2ResetsMax + 50; ++i) {
    std::int32_t id = 3 + 2 * static_cast<std::int32_t>(i);
    auto exchange = rig.Open();
    ASSERT_TRUE(rig.Send(*exchange, SomeHead("POST")).get().has_value());
    ASSERT_TRUE(rig.UntilRequest(id));
    rig.server.Respond(id, {{":status", "200"}}, "early");
    rig.server.Flush();
    rig.server.Reset(id, NGHTTP2_NO_ERROR);
    rig.server.Flush();
    Outcome outcome = rig.loop.Start(ReadAll(*exchange)).get();
    ASSERT_FALSE(outcome.failure) << i << ": " << outcome.failure->message;
    EXPECT_EQ(outcome.body, "early");
    rig.Drop(exchange);
  }
  EXPECT_TRUE(rig.CanOpen());
  auto answer = rig.loop.Start(ReadAll(*running));
  rig.server.Respond(1, {{":status", "200"}}, "whole");
  ASSERT_TRUE(rig.server.UntilClosed(1));
  EXPECT_EQ(answer.get().body, "whole");
  rig.Drop(running);
}

TEST(Http2OriginTest, AnExchangeThatIsGivenUpIsResetAndTheConnectionGoesOn) {
  OriginRig rig;
  auto given_up = rig.Open();
  ASSERT_TRUE(rig.Send(*given_up, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.UntilRequest(1));
  ASSERT_TRUE(rig.server.Sync());
  rig.server.Respond(1, {{":status", "200"}}, std::string(1 << 20, 'x'));
  ASSERT_TRUE(rig.server.Sync());
  rig.Drop(given_up);
  ASSERT_TRUE(rig.server.UntilClosed(1));
  EXPECT_EQ(rig.server.streams[1].closed, NGHTTP2_CANCEL);
  // What was not read of it does not count against the connection.
  for (int i = 0; i < 20; ++i) {
    std::int32_t id = 3 + 2 * i;
    auto next = rig.Open();
    ASSERT_TRUE(rig.Send(*next, SomeHead()).get().has_value());
    ASSERT_TRUE(rig.UntilRequest(id));
    auto answer = rig.loop.Start(ReadAll(*next));
    rig.server.Respond(id, {{":status", "200"}}, std::string(200'000, 'y'));
    ASSERT_TRUE(rig.server.UntilClosed(id));
    EXPECT_EQ(answer.get().body.size(), 200'000u);
    rig.Drop(next);
  }
}

TEST(Http2OriginTest, AConnectionWithoutOwnerEndsAfterItsLastExchange) {
  OriginRig rig;
  auto exchange = rig.Open();
  ASSERT_TRUE(rig.Send(*exchange, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.UntilRequest(1));
  rig.loop.Run<void>([&] { rig.connection.reset(); });
  auto answer = rig.loop.Start(ReadAll(*exchange));
  rig.server.Respond(1, {{":status", "200"}}, "whole");
  ASSERT_TRUE(rig.server.UntilClosed(1));
  EXPECT_EQ(answer.get().body, "whole");
  EXPECT_FALSE(rig.server.goaway);
  rig.Drop(exchange);
  EXPECT_TRUE(rig.server.UntilEnd());
  EXPECT_EQ(rig.server.goaway, NGHTTP2_NO_ERROR);
}

TEST(Http2OriginTest, AnIdleConnectionThatIsClosedSaysGoodbye) {
  OriginRig rig;
  ASSERT_TRUE(rig.server.Sync());
  rig.loop.Run<void>([&] { rig.connection->Close(); });
  EXPECT_FALSE(rig.CanOpen());
  EXPECT_TRUE(rig.server.UntilEnd());
  EXPECT_EQ(rig.server.goaway, NGHTTP2_NO_ERROR);
}

TEST(Http2OriginTest, UpgradesAndMalformedHeadsAreNotSent) {
  OriginRig rig;
  auto exchange = rig.Open();
  RequestHead head = SomeHead();
  head.upgrade = "websocket";
  EXPECT_EQ(rig.Send(*exchange, head).get().error().code, ErrorCode::kInvalidArgument);
  head = SomeHead();
  head.headers.Add("x", "a\r\nb: c");
  EXPECT_EQ(rig.Send(*exchange, head).get().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rig.loop.Start(ReadAll(*exchange)).get().fate, OriginExchange::Fate::kMayBeDone);
  rig.Drop(exchange);
  EXPECT_TRUE(rig.CanOpen());
}

TEST(Http2OriginTest, ASilentOriginIsNotWaitedForForever) {
  OriginRig rig({.silence = milliseconds(5)});
  auto exchange = rig.Open();
  ASSERT_TRUE(rig.Send(*exchange, SomeHead()).get().has_value());
  Outcome outcome = rig.loop.Start(ReadAll(*exchange)).get();
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->message, "the origin was silent for too long");
  ASSERT_TRUE(rig.server.UntilClosed(1));
  EXPECT_EQ(rig.server.streams[1].closed, NGHTTP2_CANCEL);
  rig.Drop(exchange);
}

TEST(Http2OriginTest, AWaitThatIsCancelledEnds) {
  OriginRig rig;
  auto exchange = rig.Open();
  ASSERT_TRUE(rig.Send(*exchange, SomeHead()).get().has_value());
  ASSERT_TRUE(rig.UntilRequest(1));
  asio::cancellation_signal signal;
  std::promise<bool> threw;
  rig.loop.Run<void>([&] {
    auto on_end = [&](std::exception_ptr failure, Outcome outcome) {
      threw.set_value(failure != nullptr || outcome.failure.has_value());
    };
    asio::co_spawn(rig.loop.executor(), ReadAll(*exchange),
                   asio::bind_cancellation_slot(signal.slot(), on_end));
  });
  rig.loop.Run<void>([&] { signal.emit(asio::cancellation_type::terminal); });
  EXPECT_TRUE(threw.get_future().get());
  rig.Drop(exchange);
  ASSERT_TRUE(rig.server.UntilClosed(1));
}

TEST(Http2OriginTest, HostileHeadsOfAnswersAreRefused) {
  Outcome outcome = FailedBy([](OriginRig& rig) {
    rig.server.Respond(1, {{":status", "200"}, {"x", std::string(70'000, 'x')}});
  });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->code, ErrorCode::kLimitExceeded);
  outcome = FailedBy([](OriginRig& rig) {
    for (int i = 0; i < 100; ++i) rig.server.Interim(1, {{":status", "103"}});
  });
  ASSERT_TRUE(outcome.failure);
  EXPECT_EQ(outcome.failure->message, "the origin sent too many headers");
  outcome = FailedBy([](OriginRig& rig) { rig.server.Respond(1, {{":status", "101"}}); });
  EXPECT_TRUE(outcome.failure);
  outcome = FailedBy([](OriginRig& rig) {
    rig.server.Respond(1, {{":status", "200"}, {"x", "a\r\nset-cookie: b"}});
  });
  EXPECT_TRUE(outcome.failure);
}

TEST(Http2OriginTest, ABodyThatIsNotAsLongAsPromisedIsAFailure) {
  for (std::string_view length : {"3", "9"}) {
    Outcome outcome = FailedBy([&](OriginRig& rig) {
      rig.server.Respond(1, {{":status", "200"}, {"content-length", std::string(length)}}, "four");
    });
    EXPECT_TRUE(outcome.failure) << length;
    EXPECT_EQ(outcome.fate, OriginExchange::Fate::kMayBeDone);
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
    Outcome outcome = FailedBy([&](OriginRig& rig) { rig.server.SendRaw(bytes); });
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->code, ErrorCode::kUnavailable);
  }
}

}  // namespace
}  // namespace viv::gateway
