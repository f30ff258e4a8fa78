// What happens when one side of a forwarded request leaves, fails or breaks the protocol.

#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>

#include "gateway/forward_request.h"
#include "gateway/forward_request_test_support.h"

namespace viv::gateway {
namespace {

using ForwardRequestFailureTest = ForwardRequestTest;

TEST_F(ForwardRequestFailureTest, SaysWhyAnOriginCannotBeReached) {
  connection->failure = Error{ErrorCode::kPermissionDenied, "the certificate of it is bad"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(response_status(), 502);
  EXPECT_EQ(guest->received, "the certificate of it is bad");
  connection->failure = Error{ErrorCode::kUnavailable, "no route"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(response_status(), 502);
  connection->failure = Error{ErrorCode::kLimitExceeded, "too many"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(response_status(), 503);
}

TEST_F(ForwardRequestFailureTest, AnswersForAnOriginThatDoesNot) {
  Start(PostTo("api.example.com"));
  origin.heads.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(response_status(), 502);
  EXPECT_FALSE(guest->aborted);
  EXPECT_EQ(record().verdict, "failed");
}

TEST_F(ForwardRequestFailureTest, ShowsTheGuestThatAnAnswerBrokeOff) {
  Start(RequestTo("api.example.com"));
  origin.heads.Put(ResponseOf(200, true));
  origin.body.Put("half");
  origin.body.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(guest->aborted);
  EXPECT_FALSE(guest->finished);
  EXPECT_EQ(record().verdict, "failed");
}

TEST_F(ForwardRequestFailureTest, EndsTheOriginsSideWhenTheGuestLeavesWhileItWaits) {
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(origin.ended, 0);
  guest->on_gone();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_TRUE(guest->aborted);
  EXPECT_TRUE(guest->heads.empty());
}

TEST_F(ForwardRequestFailureTest, AGuestThatLeavesOnceItHasAllItWasPromisedWasServed) {
  for (std::uint64_t promised : {4, 5}) {
    Start(RequestTo("api.example.com"));
    ResponseHead response = ResponseOf(200, true);
    response.body_bytes = promised;
    origin.heads.Put(std::move(response));
    origin.body.Put("four");
    Work();
    EXPECT_FALSE(ended);
    guest->on_gone();
    Work();
    EXPECT_TRUE(ended);
    EXPECT_EQ(connection->records.back().verdict, promised == 4 ? "allowed" : "failed");
  }
  EXPECT_EQ(origin.ended, 2);
}

TEST_F(ForwardRequestFailureTest, EndsBothSidesWhenTheGuestLeavesInTheMiddleOfBothBodies) {
  Start(PostTo("api.example.com"));
  origin.heads.Put(ResponseOf(200, true));
  origin.body.Put("half");
  Work();
  guest->on_gone();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_FALSE(origin.finished);
}

TEST_F(ForwardRequestFailureTest, EndsTheOriginsSideWhenTheGuestsBodyBreaks) {
  Start(PostTo("api.example.com"));
  guest->body.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_FALSE(origin.finished);
  EXPECT_TRUE(guest->aborted);
}

TEST_F(ForwardRequestFailureTest, AnswersABodyThatBreaksItsFraming) {
  guest = std::make_shared<TestGuest>(io, PostTo("api.example.com"));
  guest->body_error = Error{ErrorCode::kInvalidArgument, "malformed chunk"};
  asio::co_spawn(io, ForwardRequest(connection, credentials, guest),
                 [this](std::exception_ptr) { ended = true; });
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(response_status(), 400);
  EXPECT_FALSE(origin.finished);
}

TEST_F(ForwardRequestFailureTest, EndsTheOriginsSideWhenTheGuestTakesNoMore) {
  Start(RequestTo("api.example.com"));
  guest->gone = true;
  origin.heads.Put(ResponseOf(200, true));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
  EXPECT_TRUE(guest->aborted);
}

TEST_F(ForwardRequestFailureTest, TriesOnceMoreWhenAnIdleConnectionWasDead) {
  origin.delivery = OriginExchange::Delivery::kMaybeLost;
  connection->origins = {&origin, &second};
  Start(RequestTo("api.example.com"));
  origin.heads.Break();
  Work();
  ASSERT_EQ(second.requests.size(), 1u);
  EXPECT_EQ(second.requests[0].headers.Get("authorization"), "Bearer sesame");
  EXPECT_EQ(connection->all_requirements[1].freshness, OriginRequirements::Freshness::kFresh);
  second.heads.Put(ResponseOf(200, false));
  Work();
  EXPECT_EQ(response_status(), 200);
  EXPECT_EQ(connection->records.size(), 1u);
  EXPECT_EQ(record().verdict, "allowed");
}

TEST_F(ForwardRequestFailureTest, TriesOnlyOnceMore) {
  origin.delivery = OriginExchange::Delivery::kMaybeLost;
  Start(RequestTo("api.example.com"));
  origin.heads.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.requests.size(), 2u);
  EXPECT_EQ(response_status(), 502);
}

TEST_F(ForwardRequestFailureTest, NeverSendsTwiceWhatMayHaveBeenDone) {
  origin.delivery = OriginExchange::Delivery::kMaybeLost;
  connection->origins = {&origin, &second};
  RequestHead head = RequestTo("api.example.com");
  head.method = "POST";
  Start(head);
  origin.heads.Break();
  Work();
  EXPECT_TRUE(second.requests.empty());
  EXPECT_EQ(response_status(), 502);
}

TEST_F(ForwardRequestFailureTest, NeverSendsABodyTwice) {
  origin.delivery = OriginExchange::Delivery::kMaybeLost;
  connection->origins = {&origin, &second};
  RequestHead head = PostTo("api.example.com");
  head.method = "PUT";
  Start(head);
  guest->body.Put("one");
  Work();
  origin.heads.Break();
  Work();
  EXPECT_TRUE(second.requests.empty());
  EXPECT_EQ(response_status(), 502);
}

TEST_F(ForwardRequestFailureTest, SendsAgainWithItsBodyWhatNobodyHasTouched) {
  origin.delivery = OriginExchange::Delivery::kUnprocessed;
  connection->origins = {&origin, &second};
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
  second.heads.Put(ResponseOf(200, false));
  Work();
  EXPECT_EQ(response_status(), 200);
  EXPECT_EQ(record().verdict, "allowed");
}

TEST_F(ForwardRequestFailureTest, SendsAgainTheBodyThatCredentialsNeededWhole) {
  credentials->needs = Credentials::Body::kWhole;
  origin.delivery = OriginExchange::Delivery::kUnprocessed;
  connection->origins = {&origin, &second};
  guest = std::make_shared<TestGuest>(io, PostTo("api.example.com"));
  guest->body.Put("all of it");
  guest->body.Put("");
  asio::co_spawn(io, ForwardRequest(connection, credentials, guest), asio::detached);
  Work();
  origin.heads.Break();
  second.heads.Put(ResponseOf(200, false));
  Work();
  EXPECT_EQ(second.received, "all of it");
  EXPECT_EQ(response_status(), 200);
}

TEST_F(ForwardRequestFailureTest,
       WhatIsRefusedEverywhereIsTriedThreeTimesAndLastOnAFreshConnection) {
  origin.delivery = OriginExchange::Delivery::kUnprocessed;
  Start(PostTo("api.example.com"));
  origin.heads.Break();
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(response_status(), 502);
  ASSERT_EQ(connection->all_requirements.size(), 3u);
  EXPECT_EQ(connection->all_requirements[1].freshness, OriginRequirements::Freshness::kAny);
  EXPECT_EQ(connection->all_requirements[2].freshness, OriginRequirements::Freshness::kFresh);
}

TEST_F(ForwardRequestFailureTest, ABodyTooLargeToKeepIsSentOnce) {
  origin.delivery = OriginExchange::Delivery::kUnprocessed;
  connection->origins = {&origin, &second};
  Start(PostTo("api.example.com"));
  for (int i = 0; i < 3; ++i) guest->body.Put(std::string(64 * 1024, 'x'));
  Work();
  origin.heads.Break();
  Work();
  EXPECT_TRUE(second.requests.empty());
  EXPECT_EQ(response_status(), 502);
}

TEST_F(ForwardRequestFailureTest, SaysOnceThatARequestIsMalformed) {
  guest = std::make_shared<TestGuest>(io, PostTo("api.example.com"));
  guest->body_error = Error{ErrorCode::kInvalidArgument, "malformed request"};
  asio::co_spawn(io, ForwardRequest(connection, credentials, guest), asio::detached);
  Work();
  EXPECT_EQ(guest->received, "malformed request");
}

TEST_F(ForwardRequestFailureTest, EndsAPipeWhenOneSideBreaks) {
  for (bool guest_breaks : {true, false}) {
    TestOrigin own(io);
    connection->origins = {&own};
    RequestHead head = RequestTo("api.example.com");
    head.upgrade = "websocket";
    Start(head);
    own.heads.Put(ResponseOf(101, false));
    Work();
    (guest_breaks ? guest->bytes : own.bytes).incoming.Break();
    Work();
    EXPECT_TRUE(ended) << guest_breaks;
    EXPECT_EQ(own.ended, 1);
  }
}

TEST_F(ForwardRequestFailureTest, RefusesAnUpgradeThatNobodyAskedFor) {
  Start(RequestTo("api.example.com"));
  origin.heads.Put(ResponseOf(101, false));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(response_status(), 502);
}

TEST_F(ForwardRequestFailureTest, IsDroppedWithItsLoopInTheMiddleOfEverything) {
  asio::io_context* loop = new asio::io_context;
  auto far = std::make_shared<TestOrigin>(*loop);
  auto own_connection = std::make_shared<TestInterceptedConnection>(
      InterceptedConnection::Info{"api.example.com", 443, true});
  own_connection->origins = {far.get()};
  own_connection->keeps = far;
  auto leaving_guest = std::make_shared<TestGuest>(*loop, PostTo("api.example.com"));
  asio::co_spawn(*loop, ForwardRequest(own_connection, credentials, leaving_guest), asio::detached);
  leaving_guest->body.Put("one");
  loop->poll();
  EXPECT_EQ(far->received, "one");
  std::weak_ptr<TestOrigin> left = far;
  far.reset();
  own_connection.reset();
  leaving_guest.reset();
  EXPECT_FALSE(left.expired());
  delete loop;
  EXPECT_TRUE(left.expired());
}

}  // namespace
}  // namespace viv::gateway
