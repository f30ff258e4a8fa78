#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/base64.h"
#include "gateway/rules/rules_test_support.h"

namespace viv::gateway {
namespace {

class CallbackTest : public ::testing::Test {
 protected:
  Plan Calling(std::string url) {
    Callback callback;
    callback.hosts = {"*.example.com"};
    callback.url = std::move(url);
    Plan plan;
    plan.callbacks = {std::move(callback)};
    return plan;
  }

  static void ExpectFailed(const AppliedForTest& applied) {
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().status, 502);
    EXPECT_EQ(applied.error().message, "callback resolution failed");
  }

  RulesFixture fixture_;
  CallbackServer server_;
};

TEST_F(CallbackTest, GivesTheHeadersOfARequest) {
  auto credentials = fixture_.For(Calling(server_.url()));
  RequestHead head = RequestTo("api.example.com", "/v1?q=1");
  head.headers.Add("authorization", "placeholder");
  auto applied = ApplyTo(*credentials, head);
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->rule, "callback api.example.com");
  EXPECT_EQ(head.headers.size(), 1u);
  EXPECT_EQ(head.headers.Get("authorization"), "Bearer given");

  auto asked = server_.asked();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(*ParseJson(asked[0].body), *ParseJson(R"({
      "host": "api.example.com", "port": 443,
      "identity": {"tenant_id": "account-uuid", "sandbox_id": "box-uuid",
                   "organization_id": "account-uuid"}})"));
}

TEST_F(CallbackTest, IsAskedOnceForAHostWhileItsAnswerHolds) {
  auto credentials = fixture_.For(Calling(server_.url()));
  for (const char* host : {"a.example.com", "a.example.com", "b.example.com", "a.example.com"}) {
    RequestHead head = RequestTo(host);
    ASSERT_TRUE(ApplyTo(*credentials, head));
    EXPECT_EQ(head.headers.Get("authorization"), "Bearer given");
  }
  EXPECT_EQ(server_.asked().size(), 2u);
  // Headers for HTTPS are not used for plain HTTP.
  RequestHead plain = RequestTo("a.example.com");
  ASSERT_TRUE(ApplyTo(*credentials, plain, {}, false, false));
  EXPECT_EQ(server_.asked().size(), 3u);
}

TEST_F(CallbackTest, ManyFirstRequestsShareOneQuestion) {
  auto credentials = fixture_.For(Calling(server_.url()));
  asio::io_context io;
  std::vector<RequestHead> heads(8, RequestTo("a.example.com"));
  int good = 0;
  for (RequestHead& head : heads) {
    Destination to{"a.example.com", 443, true};
    auto on_end = [&good](std::exception_ptr, AppliedForTest applied) { good += applied ? 1 : 0; };
    asio::co_spawn(io, credentials->Apply(head, std::move(to), {}, false), on_end);
  }
  io.run();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(heads.back().headers.Get("authorization"), "Bearer given");
  EXPECT_EQ(server_.asked().size(), 1u);
}

TEST_F(CallbackTest, IsNotAskedWhereAHeaderRuleIs) {
  Plan plan = Calling(server_.url());
  HeaderRule rule;
  rule.name = "first";
  rule.hosts = {"api.example.com"};
  rule.paths = {"/v1/*"};
  rule.headers = {{"Authorization", PlainText("of the rule")}};
  plan.rules = {std::move(rule)};
  auto credentials = fixture_.For(std::move(plan));
  RequestHead ruled = RequestTo("api.example.com", "/v1/x");
  ASSERT_TRUE(ApplyTo(*credentials, ruled));
  EXPECT_EQ(ruled.headers.Get("authorization"), "of the rule");
  EXPECT_TRUE(server_.asked().empty());
  RequestHead other = RequestTo("api.example.com", "/v2/x");
  ASSERT_TRUE(ApplyTo(*credentials, other));
  EXPECT_EQ(other.headers.Get("authorization"), "Bearer given");
}

TEST_F(CallbackTest, GetsItsOwnHeadersAndCannotBeGivenAnotherSignature) {
  Plan plan = Calling(server_.url());
  fixture_.secrets.values["{HOOK}"] = "s3cret";
  plan.callbacks[0].request_headers = {{"X-Hook-Key", Reference("{HOOK}")},
                                       {"x-langsmith-signature-jwt", PlainText("forged")}};
  auto credentials = fixture_.For(std::move(plan));
  RequestHead head = RequestTo("a.example.com");
  ASSERT_TRUE(ApplyTo(*credentials, head));
  http::Request asked = server_.asked().at(0);
  EXPECT_EQ(asked.method, "POST");
  EXPECT_EQ(asked.headers.Get("x-hook-key"), "s3cret");
  EXPECT_EQ(asked.headers.Get("content-type"), "application/json");
  EXPECT_NE(asked.headers.Get("x-langsmith-signature-jwt"), "forged");
  EXPECT_EQ(head.headers.size(), 1u);
}

TEST_F(CallbackTest, OfTheFullRequestIsToldAllOfItEveryTime) {
  Plan plan = Calling(server_.url());
  plan.callbacks[0].full_request = true;
  auto credentials = fixture_.For(std::move(plan));
  RequestHead head = RequestTo("api.example.com", "/v1/a%20b?x=1&y=2");
  head.method = "POST";
  head.has_body = true;
  head.headers.Add("accept", "a");
  head.headers.Add("accept", "b");
  EXPECT_EQ(credentials->NeedsBody(head, {"api.example.com", 443, true}),
            Credentials::Body::kWhole);
  RequestHead first = head, second = head;
  ASSERT_TRUE(ApplyTo(*credentials, first, std::string_view("bo\0dy", 5)));
  ASSERT_TRUE(ApplyTo(*credentials, second, std::string(kCredentialsBodyMax, 'x'), true));
  auto asked = server_.asked();
  ASSERT_EQ(asked.size(), 2u);
  json::value told = *ParseJson(asked[0].body);
  EXPECT_EQ(told.at("request"), *ParseJson(R"({
      "method": "POST", "url": "https://api.example.com/v1/a%20b?x=1&y=2", "scheme": "https",
      "host": "api.example.com", "path": "/v1/a%20b", "query": "x=1&y=2",
      "headers": {"accept": ["a", "b"]}, "body_base64": "Ym8AZHk=", "body_truncated": false})"));
  told = *ParseJson(asked[1].body);
  EXPECT_EQ(told.at("request").at("body_truncated"), json::value(true));
  EXPECT_EQ(DecodeBase64(View(told.at("request").at("body_base64").get_string()))->size(),
            kCredentialsBodyMax);
}

TEST_F(CallbackTest, BytesThatAreNoTextBreakNothing) {
  Plan plan = Calling(server_.url());
  plan.callbacks[0].full_request = true;
  auto credentials = fixture_.For(std::move(plan));
  RequestHead head = RequestTo("api.example.com", "/\xff\xfe?\xc3");
  head.headers.Add("x-odd", "\xff");
  ASSERT_TRUE(ApplyTo(*credentials, head));
  EXPECT_TRUE(ParseJson(server_.asked().at(0).body));
}

TEST_F(CallbackTest, FailuresCloseAndAreNotKept) {
  auto credentials = fixture_.For(Calling(server_.url()));
  const std::pair<int, const char*> kBad[] = {
      {500, R"({"headers": {}})"},
      {404, ""},
      {302, R"({"headers": {}})"},
      {200, ""},
      {200, "garbage"},
      {200, "[]"},
      {200, R"({"headers": []})"},
      {200, R"({"headers": {"X": 1}})"},
      {200, R"({"headers": {"X": null}})"},
      {200, R"({"Headers": {"X": "y"}})"},
      {200, R"({"headers": {"X": "a\r\nEvil: 1"}})"},
      {200, R"({"headers": {"X": "a\u0000"}})"},
      {200, R"({"headers": {"Host": "evil.com"}})"},
      {200, R"({"headers": {"Content-Length": "0"}})"},
      {200, R"({"headers": {"Transfer-Encoding": "chunked"}})"},
      {200, R"({"headers": {":authority": "evil.com"}})"},
      {200, R"({"headers": {"": "x"}})"},
      {200, R"({"headers": {"Proxy-Authorization": "x"}})"},
      {200, R"({"headers": {"X": "1", "x": "2"}})"}};
  for (const auto& [status, body] : kBad) {
    server_.Say(status, body);
    RequestHead head = RequestTo("a.example.com");
    ExpectFailed(ApplyTo(*credentials, head));
    EXPECT_EQ(head.headers.size(), 0u) << body;
  }
  EXPECT_EQ(server_.asked().size(), std::size(kBad));  // no redirect was followed
  server_.Say(200, R"({"headers": {}})");
  RequestHead head = RequestTo("a.example.com");
  EXPECT_TRUE(ApplyTo(*credentials, head));
}

TEST_F(CallbackTest, AnAnswerTooLargeIsAFailure) {
  auto credentials = fixture_.For(Calling(server_.url()));
  server_.Say(200, R"({"headers": {"X": ")" + std::string(65 * 1024, 'x') + "\"}}");
  RequestHead head = RequestTo("a.example.com");
  ExpectFailed(ApplyTo(*credentials, head));
}

TEST_F(CallbackTest, BrokenServersAreFailures) {
  for (const char* bytes :
       {"", "garbage\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}"}) {
    BytesServer broken(bytes);
    auto credentials = fixture_.For(Calling(broken.url()));
    RequestHead head = RequestTo("a.example.com");
    ExpectFailed(ApplyTo(*credentials, head));
  }
}

TEST_F(CallbackTest, ASecretItNeedsAndThatIsMissingIsAFailure) {
  Plan plan = Calling(server_.url());
  plan.callbacks[0].request_headers = {{"X-Hook-Key", Reference("{GONE}")}};
  auto credentials = fixture_.For(std::move(plan));
  RequestHead head = RequestTo("a.example.com");
  ExpectFailed(ApplyTo(*credentials, head));
  EXPECT_TRUE(server_.asked().empty());
}

TEST(CallbackTimeTest, OneThatHangsIsAFailureAfterItsTime) {
  RulesFixture fixture(PostLimits{.time = std::chrono::milliseconds(50)});
  for (const char* bytes :
       {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"}) {
    BytesServer silent(bytes, BytesServer::Then::kIsSilent);
    auto asked = RunToEnd(fixture.client->Ask(silent.url(), {}, "{}"));
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(asked.error().message, ::testing::HasSubstr("did not answer in time"));
  }
}

}  // namespace
}  // namespace viv::gateway
