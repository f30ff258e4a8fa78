#include "gateway/forward_request.h"

#include <gtest/gtest.h>

#include "gateway/forward_request_test_support.h"

namespace viv::gateway {
namespace {

TEST_F(ForwardRequestTest, ForwardsARequestWithItsCredentialsAndTheResponseBack) {
  Start(RequestTo("API.example.com:443"));
  ASSERT_EQ(origin.requests.size(), 1u);
  EXPECT_EQ(origin.requests[0].headers.Get("authorization"), "Bearer sesame");
  EXPECT_EQ(origin.requests[0].target, "/v1/things?secret=1");
  EXPECT_EQ(credentials->destination.host, "api.example.com");
  EXPECT_TRUE(credentials->destination.secure);
  ResponseHead response = ResponseOf(200, true);
  response.headers.Add("X", "y");
  origin.heads.Put(response);
  origin.body.Put("hello");
  origin.trailers.Add("grpc-status", "0");
  Work();
  EXPECT_EQ(guest->received, "hello");
  EXPECT_FALSE(guest->finished);
  origin.body.Put("");
  Work();
  EXPECT_TRUE(guest->finished);
  EXPECT_EQ(guest->heads[0].headers.Get("x"), "y");
  EXPECT_EQ(guest->received_trailers.Get("grpc-status"), "0");
  EXPECT_TRUE(ended);
  EXPECT_EQ(origin.ended, 1);
}

TEST_F(ForwardRequestTest, LogsARequestWithoutItsQueryAndSecrets) {
  Start(RequestTo("api.example.com"));
  origin.heads.Put(ResponseOf(404, false));
  Work();
  EXPECT_EQ(record().name, "api.example.com");
  EXPECT_EQ(record().address, "192.0.2.1");
  EXPECT_EQ(record().protocol, "https");
  EXPECT_EQ(record().method, "GET");
  EXPECT_EQ(record().path, "/v1/things");
  EXPECT_EQ(record().status, 404);
  EXPECT_EQ(record().rule, "header rule test");
  EXPECT_EQ(record().verdict, "allowed");
  EXPECT_GT(record().bytes_out, 0u);
  EXPECT_EQ(connection->bytes_out, record().bytes_out);
}

TEST_F(ForwardRequestTest, LogsTheRuleOfTheConnectionIfNoRuleMatchesTheRequest) {
  credentials->rule.clear();
  Start(RequestTo("api.example.com"));
  origin.heads.Put(ResponseOf(200, false));
  Work();
  EXPECT_EQ(record().rule, "allow *.example.com");
}

TEST_F(ForwardRequestTest, StreamsTheRequestsBodyPieceByPiece) {
  RequestHead head = PostTo("api.example.com");
  Start(head);
  guest->body.Put("one");
  Work();
  EXPECT_EQ(origin.received, "one");
  EXPECT_FALSE(origin.finished);
  guest->body.Put("two");
  guest->body.Put("");
  Work();
  EXPECT_EQ(origin.received, "onetwo");
  EXPECT_TRUE(origin.finished);
  origin.heads.Put(ResponseOf(200, false));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(guest->finished);
}

TEST_F(ForwardRequestTest, PassesAnAnswerThatComesBeforeTheBodyHasEnded) {
  Start(PostTo("api.example.com"));
  guest->body.Put("one");
  origin.heads.Put(ResponseOf(413, false));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(response_status(), 413);
  EXPECT_TRUE(guest->finished);
  EXPECT_FALSE(guest->aborted);
  EXPECT_FALSE(origin.finished);
}

TEST_F(ForwardRequestTest, PassesTheAnswerOfAnOriginThatTakesNoMore) {
  Start(PostTo("api.example.com"));
  origin.takes_body = false;
  guest->body.Put("one");
  Work();
  EXPECT_FALSE(ended);
  origin.heads.Put(ResponseOf(401, false));
  Work();
  EXPECT_EQ(response_status(), 401);
  EXPECT_TRUE(ended);
}

TEST_F(ForwardRequestTest, PassesInterimAnswersOn) {
  Start(RequestTo("api.example.com"));
  origin.heads.Put(ResponseOf(100, false));
  origin.heads.Put(ResponseOf(103, false));
  origin.heads.Put(ResponseOf(204, false));
  Work();
  ASSERT_EQ(guest->heads.size(), 3u);
  EXPECT_EQ(guest->heads[1].status, 103);
  EXPECT_EQ(record().status, 204);
}

TEST_F(ForwardRequestTest, EndsInterimAnswersThatDoNotEnd) {
  Start(RequestTo("api.example.com"));
  for (int i = 0; i < 100; ++i) origin.heads.Put(ResponseOf(103, false));
  Work();
  EXPECT_TRUE(ended);
  EXPECT_EQ(response_status(), 502);
}

TEST_F(ForwardRequestTest, RefusesAnotherHostOnATlsConnection) {
  for (std::string authority : {"evil.example.com", "api.example.com:8443", "example.com"}) {
    Start(RequestTo(authority));
    EXPECT_TRUE(ended);
    EXPECT_EQ(response_status(), 421) << authority;
  }
  EXPECT_TRUE(origin.requests.empty());
  EXPECT_TRUE(credentials->destination.host.empty());
  EXPECT_EQ(record().verdict, "refused");
}

TEST_F(ForwardRequestTest, RefusesAHostInTheClearThatTheRulesDoNotAllow) {
  UseConnection({"", 80, false});
  connection->allowed_host = "good.example.com";
  Start(RequestTo("evil.example.com"));
  EXPECT_EQ(response_status(), 403);
  Start(RequestTo("good.example.com:8080"));
  EXPECT_EQ(response_status(), 403);
  EXPECT_TRUE(origin.requests.empty());
  Start(RequestTo("good.example.com:80"));
  ASSERT_EQ(origin.requests.size(), 1u);
  EXPECT_FALSE(credentials->destination.secure);
  origin.heads.Put(ResponseOf(200, false));
  Work();
  EXPECT_EQ(connection->records.back().protocol, "http");
}

TEST_F(ForwardRequestTest, RefusesWhatIsNoRequestForAnOrigin) {
  struct Case {
    std::string method, authority, target;
    int status;
  };
  for (const Case& bad : std::vector<Case>{{"CONNECT", "api.example.com", "/", 403},
                                           {"TRACE", "api.example.com", "/", 403},
                                           {"TRACK", "api.example.com", "/", 403},
                                           {"GET", "api.example.com", "//a b", 400},
                                           {"GET", "api.example.com", "/a#b", 400},
                                           {"GET", "api.example.com", "a", 400},
                                           {"GET", "user@api.example.com", "/", 400},
                                           {"GET", "api.example.com:x", "/", 400}}) {
    RequestHead head = RequestTo(bad.authority, bad.target);
    head.method = bad.method;
    Start(head);
    EXPECT_EQ(response_status(), bad.status) << bad.method << " " << bad.authority << bad.target;
    EXPECT_TRUE(ended);
  }
  EXPECT_TRUE(origin.requests.empty());
}

TEST_F(ForwardRequestTest, AnswersARefusalInItsOwnWords) {
  credentials->refusal = Refusal{502, "callback resolution failed"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(response_status(), 502);
  EXPECT_EQ(guest->received, "callback resolution failed");
  EXPECT_EQ(guest->heads[0].headers.Get("content-type"), "text/plain; charset=utf-8");
  EXPECT_TRUE(guest->finished);
  EXPECT_TRUE(origin.requests.empty());
  EXPECT_EQ(record().verdict, "failed");
}

TEST_F(ForwardRequestTest, AnswersHeadWithoutABody) {
  credentials->refusal = Refusal{403, "no"};
  RequestHead head = RequestTo("api.example.com");
  head.method = "HEAD";
  Start(head);
  EXPECT_FALSE(guest->heads[0].has_body);
  EXPECT_EQ(guest->received, "");
  EXPECT_TRUE(guest->finished);
}

TEST_F(ForwardRequestTest, ReadsTheBodyFirstWhereCredentialsNeedIt) {
  credentials->needs = Credentials::Body::kWhole;
  RequestHead head = PostTo("api.example.com");
  head.headers.Add("Expect", "100-continue");
  Start(head);
  EXPECT_EQ(response_status(), 100);
  guest->body.Put("one");
  guest->body.Put("two");
  Work();
  EXPECT_TRUE(origin.requests.empty());
  guest->body.Put("");
  Work();
  EXPECT_EQ(credentials->seen_body, "onetwo");
  EXPECT_FALSE(credentials->truncated);
  ASSERT_EQ(origin.requests.size(), 1u);
  EXPECT_FALSE(origin.requests[0].headers.Has("expect"));
  EXPECT_EQ(origin.received, "onetwo");
  EXPECT_TRUE(origin.finished);
}

TEST_F(ForwardRequestTest, ABodyOfJustTheSizeThatIsReadIsWhole) {
  credentials->needs = Credentials::Body::kWhole;
  Start(PostTo("api.example.com"));
  guest->body.Put(std::string(kCredentialsBodyMax, 'x'));
  guest->body.Put("");
  Work();
  EXPECT_FALSE(credentials->truncated);
  EXPECT_EQ(credentials->seen_body.size(), kCredentialsBodyMax);
  EXPECT_EQ(origin.received.size(), kCredentialsBodyMax);
}

TEST_F(ForwardRequestTest, ReadsOnlySoMuchOfABodyAndSendsAllOfIt) {
  credentials->needs = Credentials::Body::kWhole;
  Start(PostTo("api.example.com"));
  std::string sent;
  for (int i = 0; i < 40; ++i) {
    std::string piece(32 * 1024, static_cast<char>('a' + i % 26));
    sent += piece;
    guest->body.Put(std::move(piece));
  }
  guest->body.Put("");
  Work();
  EXPECT_TRUE(credentials->truncated);
  EXPECT_EQ(credentials->seen_body.size(), kCredentialsBodyMax);
  EXPECT_EQ(origin.received, sent);
  EXPECT_LE(origin.largest, 64u * 1024);
}

TEST_F(ForwardRequestTest, TrailersSayNothingThatARuleOrTheGatewaySays) {
  RequestHead head = PostTo("api.example.com");
  head.headers.Add("X-Sum", "later");
  guest = std::make_shared<TestGuest>(io, head);
  for (std::string name : {"authorization", "Host", "content-length", "Cookie", "x-sum", "x-own"}) {
    guest->sent_trailers.Add(name, "of the guest");
  }
  guest->body.Put("");
  asio::co_spawn(io, ForwardRequest(connection, credentials, guest), [](std::exception_ptr) {});
  Work();
  EXPECT_TRUE(origin.finished);
  EXPECT_EQ(origin.received_trailers.size(), 2u);
  EXPECT_EQ(origin.received_trailers.Get("x-own"), "of the guest");
  EXPECT_EQ(origin.received_trailers.Get("x-sum"), "of the guest");
  origin.heads.Put(ResponseOf(200, false));
  Work();
}

TEST_F(ForwardRequestTest, LogsTheRuleOfARefusal) {
  credentials->refusal = Refusal{502, "the account has no secret", "header rule github"};
  Start(RequestTo("api.example.com"));
  EXPECT_EQ(record().rule, "header rule github");
}

TEST_F(ForwardRequestTest, LogsAMalformedRequest) {
  LogMalformedRequest(
      *connection, MalformedRequest{400, "malformed request", "POST", "http://u:p@h/a/b?secret=1"});
  EXPECT_EQ(record().verdict, "refused");
  EXPECT_EQ(record().reason, "malformed request");
  EXPECT_EQ(record().status, 400);
  EXPECT_EQ(record().method, "POST");
  EXPECT_EQ(record().path, "/a/b");
  EXPECT_EQ(record().name, "api.example.com");
}

TEST_F(ForwardRequestTest, PipesBytesBothWaysAfterAnUpgrade) {
  RequestHead head = RequestTo("api.example.com");
  head.upgrade = "websocket";
  Start(head);
  EXPECT_EQ(connection->all_requirements[0].version, OriginRequirements::Version::kHttp1);
  origin.heads.Put(ResponseOf(101, false));
  guest->bytes.incoming.Put("ping");
  origin.bytes.incoming.Put("pong");
  Work();
  EXPECT_EQ(response_status(), 101);
  EXPECT_EQ(origin.bytes.written, "ping");
  EXPECT_EQ(guest->bytes.written, "pong");
  origin.bytes.incoming.Put("");
  Work();
  EXPECT_TRUE(guest->bytes.write_closed);
  EXPECT_FALSE(ended);
  guest->bytes.incoming.Put("last");
  guest->bytes.incoming.Put("");
  Work();
  EXPECT_EQ(origin.bytes.written, "pinglast");
  EXPECT_TRUE(origin.bytes.write_closed);
  EXPECT_TRUE(ended);
  EXPECT_EQ(record().status, 101);
}

}  // namespace
}  // namespace viv::gateway
