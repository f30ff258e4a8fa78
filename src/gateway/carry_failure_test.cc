// What happens when one side of a request that is carried leaves, breaks or lies.

#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>

#include "gateway/carry.h"
#include "gateway/carry_test_support.h"

namespace viv::gateway {
namespace {

using CarryFailureTest = CarryTest;

TEST_F(CarryFailureTest, SaysWhyAnOriginCannotBeReached) {
  route->failure = Error{ErrorCode::kPermissionDenied, "the certificate of it is bad"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(answer_status(), 502);
  EXPECT_EQ(guest->received, "the certificate of it is bad");
  route->failure = Error{ErrorCode::kUnavailable, "no route"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(answer_status(), 502);
  route->failure = Error{ErrorCode::kLimitExceeded, "too many"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(answer_status(), 503);
}

TEST_F(CarryFailureTest, AnswersForAnOriginThatDoesNot) {
  Start(PostTo("api.example.com"));
  origin.heads.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(answer_status(), 502);
  EXPECT_FALSE(guest->aborted);
  EXPECT_EQ(record().verdict, "failed");
}

TEST_F(CarryFailureTest, ShowsTheGuestThatAnAnswerBrokeOff) {
  Start(RequestTo("api.example.com"));
  origin.heads.Put(AnswerOf(200, true));
  origin.body.Put("half");
  origin.body.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(guest->aborted);
  EXPECT_FALSE(guest->finished);
  EXPECT_EQ(record().verdict, "failed");
}

TEST_F(CarryFailureTest, EndsTheOriginsSideWhenTheGuestLeavesWhileItWaits) {
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(origin.ended, 0);
  guest->on_gone();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_TRUE(guest->aborted);
  EXPECT_TRUE(guest->heads.empty());
}

TEST_F(CarryFailureTest, AGuestThatLeavesOnceItHasAllItWasPromisedWasServed) {
  for (std::uint64_t promised : {4, 5}) {
    Start(RequestTo("api.example.com"));
    AnswerHead answer = AnswerOf(200, true);
    answer.body_bytes = promised;
    origin.heads.Put(std::move(answer));
    origin.body.Put("four");
    Work();
    EXPECT_FALSE(ended);
    guest->on_gone();
    Work();
    EXPECT_TRUE(ended);
    EXPECT_EQ(route->records.back().verdict, promised == 4 ? "allowed" : "failed");
  }
  EXPECT_EQ(origin.ended, 2);
}

TEST_F(CarryFailureTest, EndsBothSidesWhenTheGuestLeavesInTheMiddleOfBothBodies) {
  Start(PostTo("api.example.com"));
  origin.heads.Put(AnswerOf(200, true));
  origin.body.Put("half");
  Work();
  guest->on_gone();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_FALSE(origin.finished);
}

TEST_F(CarryFailureTest, EndsTheOriginsSideWhenTheGuestsBodyBreaks) {
  Start(PostTo("api.example.com"));
  guest->body.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_FALSE(origin.finished);
  EXPECT_TRUE(guest->aborted);
}

TEST_F(CarryFailureTest, AnswersABodyThatBreaksItsFraming) {
  guest = std::make_shared<TestGuest>(io, PostTo("api.example.com"));
  guest->body_error = Error{ErrorCode::kInvalidArgument, "malformed chunk"};
  asio::co_spawn(io, Carry(route, credentials, guest),
                 [this](std::exception_ptr) { ended = true; });
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(answer_status(), 400);
  EXPECT_FALSE(origin.finished);
}

TEST_F(CarryFailureTest, EndsTheOriginsSideWhenTheGuestTakesNoMore) {
  Start(RequestTo("api.example.com"));
  guest->gone = true;
  origin.heads.Put(AnswerOf(200, true));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_TRUE(guest->aborted);
}

TEST_F(CarryFailureTest, TriesOnceMoreWhenAnIdleConnectionWasDead) {
  origin.fate = OriginExchange::Fate::kMayBeLost;
  route->origins = {&origin, &second};
  Start(RequestTo("api.example.com"));
  origin.heads.Break();
  Work();
  ASSERT_EQ(second.requests.size(), 1u);
  EXPECT_EQ(second.requests[0].headers.Get("authorization"), "Bearer sesame");
  EXPECT_EQ(route->needs[1].age, OriginNeed::Age::kFresh);
  second.heads.Put(AnswerOf(200, false));
  Work();
  EXPECT_EQ(answer_status(), 200);
  EXPECT_EQ(route->records.size(), 1u);
  EXPECT_EQ(record().verdict, "allowed");
}

TEST_F(CarryFailureTest, TriesOnlyOnceMore) {
  origin.fate = OriginExchange::Fate::kMayBeLost;
  Start(RequestTo("api.example.com"));
  origin.heads.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.requests.size(), 2u);
  EXPECT_EQ(answer_status(), 502);
}

TEST_F(CarryFailureTest, NeverSendsTwiceWhatMayHaveBeenDone) {
  origin.fate = OriginExchange::Fate::kMayBeLost;
  route->origins = {&origin, &second};
  RequestHead head = RequestTo("api.example.com");
  head.method = "POST";
  Start(head);
  origin.heads.Break();
  Work();
  EXPECT_TRUE(second.requests.empty());
  EXPECT_EQ(answer_status(), 502);
}

TEST_F(CarryFailureTest, NeverSendsABodyTwice) {
  origin.fate = OriginExchange::Fate::kMayBeLost;
  route->origins = {&origin, &second};
  RequestHead head = PostTo("api.example.com");
  head.method = "PUT";
  Start(head);
  guest->body.Put("one");
  Work();
  origin.heads.Break();
  Work();
  EXPECT_TRUE(second.requests.empty());
  EXPECT_EQ(answer_status(), 502);
}

TEST_F(CarryFailureTest, SendsAgainWithItsBodyWhatNobodyHasTouched) {
  origin.fate = OriginExchange::Fate::kUntouched;
  route->origins = {&origin, &second};
  Start(PostTo("api.example.com"));
  guest->body.Put("one");
  Work();
  guest->body.Put("two");
  Work();
  EXPECT_EQ(origin.received, "onetwo");
  origin.heads.Break();
  Work();
  ASSERT_EQ(second.requests.size(), 1u);
  EXPECT_EQ(second.received, "onetwo");
  guest->body.Put("three");
  guest->body.Put("");
  Work();
  EXPECT_EQ(second.received, "onetwothree");
  EXPECT_TRUE(second.finished);
  second.heads.Put(AnswerOf(200, false));
  Work();
  EXPECT_EQ(answer_status(), 200);
  EXPECT_EQ(record().verdict, "allowed");
}

TEST_F(CarryFailureTest, SendsAgainTheBodyThatCredentialsNeededWhole) {
  credentials->needs = Credentials::Body::kWhole;
  origin.fate = OriginExchange::Fate::kUntouched;
  route->origins = {&origin, &second};
  guest = std::make_shared<TestGuest>(io, PostTo("api.example.com"));
  guest->body.Put("all of it");
  guest->body.Put("");
  asio::co_spawn(io, Carry(route, credentials, guest), asio::detached);
  Work();
  origin.heads.Break();
  second.heads.Put(AnswerOf(200, false));
  Work();
  EXPECT_EQ(second.received, "all of it");
  EXPECT_EQ(answer_status(), 200);
}

TEST_F(CarryFailureTest, WhatIsRefusedEverywhereIsTriedThreeTimesAndLastOnAFreshConnection) {
  origin.fate = OriginExchange::Fate::kUntouched;
  Start(PostTo("api.example.com"));
  origin.heads.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(answer_status(), 502);
  ASSERT_EQ(route->needs.size(), 3u);
  EXPECT_EQ(route->needs[1].age, OriginNeed::Age::kAny);
  EXPECT_EQ(route->needs[2].age, OriginNeed::Age::kFresh);
}

TEST_F(CarryFailureTest, ABodyTooLargeToKeepIsSentOnce) {
  origin.fate = OriginExchange::Fate::kUntouched;
  route->origins = {&origin, &second};
  Start(PostTo("api.example.com"));
  for (int i = 0; i < 3; ++i) guest->body.Put(std::string(64 * 1024, 'x'));
  Work();
  origin.heads.Break();
  Work();
  EXPECT_TRUE(second.requests.empty());
  EXPECT_EQ(answer_status(), 502);
}

TEST_F(CarryFailureTest, SaysOnceThatARequestIsMalformed) {
  guest = std::make_shared<TestGuest>(io, PostTo("api.example.com"));
  guest->body_error = Error{ErrorCode::kInvalidArgument, "malformed request"};
  asio::co_spawn(io, Carry(route, credentials, guest), asio::detached);
  Work();
  EXPECT_EQ(guest->received, "malformed request");
}

TEST_F(CarryFailureTest, EndsAPipeWhenOneSideBreaks) {
  for (bool guest_breaks : {true, false}) {
    TestOrigin own(io);
    route->origins = {&own};
    RequestHead head = RequestTo("api.example.com");
    head.upgrade = "websocket";
    Start(head);
    own.heads.Put(AnswerOf(101, false));
    Work();
    (guest_breaks ? guest->bytes : own.bytes).incoming.Break();
    Work();
    EXPECT_TRUE(ended) << guest_breaks;
    EXPECT_EQ(own.ended, 1);
  }
}

TEST_F(CarryFailureTest, RefusesAnUpgradeThatNobodyAskedFor) {
  Start(RequestTo("api.example.com"));
  origin.heads.Put(AnswerOf(101, false));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(answer_status(), 502);
}

TEST_F(CarryFailureTest, IsDroppedWithItsLoopInTheMiddleOfEverything) {
  asio::io_context* loop = new asio::io_context;
  auto far = std::make_shared<TestOrigin>(*loop);
  auto way = std::make_shared<TestRoute>(Route::Facts{"api.example.com", 443, true});
  way->origins = {far.get()};
  way->keeps = far;
  auto leaving = std::make_shared<TestGuest>(*loop, PostTo("api.example.com"));
  asio::co_spawn(*loop, Carry(way, credentials, leaving), asio::detached);
  leaving->body.Put("one");
  loop->poll();
  EXPECT_EQ(far->received, "one");
  std::weak_ptr<TestOrigin> left = far;
  far.reset();
  way.reset();
  leaving.reset();
  EXPECT_FALSE(left.expired());
  delete loop;
  EXPECT_TRUE(left.expired());
}

}  // namespace
}  // namespace viv::gateway
