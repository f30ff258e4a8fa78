#include "gateway/http/http2_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace viv::gateway {
namespace {

Http2Fields SomeRequest(Http2Fields more = {}) {
  Http2Fields fields{{":method", "GET"},
                     {":scheme", "https"},
                     {":authority", "api.example.com"},
                     {":path", "/a?b=c"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

int RefusedWith(Http2Fields fields) {
  auto head = Http2RequestHead(std::move(fields), Http2Body::kNone);
  return head ? 0 : head.error().status;
}

TEST(Http2FieldsTest, ReadsARequestsHead) {
  auto head = Http2RequestHead(SomeRequest({{"accept", "*/*"}, {"content-length", "12"}}),
                               Http2Body::kFollows);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "GET");
  EXPECT_EQ(head->authority, "api.example.com");
  EXPECT_EQ(head->target, "/a?b=c");
  EXPECT_EQ(head->headers.size(), 2u);
  EXPECT_EQ(head->headers.Get("accept"), "*/*");
  EXPECT_TRUE(head->has_body);
  EXPECT_EQ(head->body_bytes, 12u);
}

TEST(Http2FieldsTest, TakesHostForAMissingAuthority) {
  Http2Fields fields = SomeRequest({{"host", "other.example.com:8443"}});
  fields.erase(fields.begin() + 2);
  auto head = Http2RequestHead(std::move(fields), Http2Body::kNone);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->authority, "other.example.com:8443");
  EXPECT_FALSE(head->headers.Has("host"));
}

TEST(Http2FieldsTest, AcceptsAHostThatAgreesInAnotherCase) {
  EXPECT_EQ(RefusedWith(SomeRequest({{"host", "API.example.com"}})), 0);
}

TEST(Http2FieldsTest, RefusesTwoDifferentHosts) {
  EXPECT_EQ(RefusedWith(SomeRequest({{"host", "evil.example.com"}})), 400);
  EXPECT_EQ(RefusedWith(SomeRequest({{"host", "api.example.com"}, {"host", "api.example.com"}})),
            400);
}

TEST(Http2FieldsTest, RefusesWhatIsNoRequestToAHost) {
  Http2Fields fields = SomeRequest();
  fields[0].second = "CONNECT";
  EXPECT_EQ(RefusedWith(fields), 403);
  fields = SomeRequest();
  fields[1].second = "ftp";
  EXPECT_EQ(RefusedWith(fields), 400);
  for (std::string_view authority : {"", "user@api.example.com", "a b", "a\tb"}) {
    fields = SomeRequest();
    fields[2].second = authority;
    EXPECT_EQ(RefusedWith(fields), 400) << authority;
  }
  for (std::string_view path : {"", "a", "http://x/", "/a b", "/a\r\nb"}) {
    fields = SomeRequest();
    fields[3].second = path;
    EXPECT_EQ(RefusedWith(fields), 400) << path;
  }
}

TEST(Http2FieldsTest, JoinsTheCrumbsOfACookie) {
  auto head = Http2RequestHead(SomeRequest({{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}}),
                               Http2Body::kNone);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->headers.Get("cookie"), "a=1; b=2");
  EXPECT_EQ(head->headers.size(), 2u);
}

TEST(Http2FieldsTest, KeepsOnlyTheTeThatHttp2Knows) {
  auto kept = Http2RequestHead(SomeRequest({{"te", "trailers"}}), Http2Body::kNone);
  auto dropped = Http2RequestHead(SomeRequest({{"te", "gzip"}}), Http2Body::kNone);
  EXPECT_EQ(kept->headers.Get("te"), "trailers");
  EXPECT_FALSE(dropped->headers.Has("te"));
}

TEST(Http2FieldsTest, ReadsAnAnswersHead) {
  auto head = Http2ResponseHead({{":status", "204"}, {"x-a", "b"}}, Http2Body::kNone);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->status, 204);
  EXPECT_FALSE(head->has_body);
  EXPECT_EQ(head->headers.Get("x-a"), "b");
  EXPECT_FALSE(Http2ResponseHead({{"x-a", "b"}}, Http2Body::kNone).has_value());
  EXPECT_FALSE(Http2ResponseHead({{":status", "abc"}}, Http2Body::kNone).has_value());
}

RequestHead HeadToSend() {
  RequestHead head;
  head.method = "POST";
  head.authority = "api.example.com";
  head.target = "/v1";
  return head;
}

TEST(Http2FieldsTest, SendsNamesInLowerCaseAndNothingOfTheHop) {
  RequestHead head = HeadToSend();
  head.headers.Add("Authorization", " Bearer x ");
  head.headers.Add("Host", "evil.example.com");
  head.headers.Add("Connection", "close");
  head.headers.Add("Transfer-Encoding", "chunked");
  head.headers.Add("Upgrade", "websocket");
  head.headers.Add("TE", "trailers");
  auto fields = ToHttp2Fields(head, "https");
  ASSERT_TRUE(fields.has_value());
  Http2Fields wanted{
      {":method", "POST"}, {":scheme", "https"},          {":authority", "api.example.com"},
      {":path", "/v1"},    {"authorization", "Bearer x"}, {"te", "trailers"}};
  EXPECT_EQ(*fields, wanted);
}

TEST(Http2FieldsTest, SendsNoRequestWhoseHeadWouldBecomeAnother) {
  RequestHead head = HeadToSend();
  head.headers.Add("x", "a\r\ny: b");
  EXPECT_EQ(ToHttp2Fields(head, "https").error().code, ErrorCode::kInvalidArgument);
  head = HeadToSend();
  head.headers.Add("x y", "a");
  EXPECT_FALSE(ToHttp2Fields(head, "https").has_value());
  head = HeadToSend();
  head.headers.Add(":path", "/other");
  EXPECT_FALSE(ToHttp2Fields(head, "https").has_value());
  head = HeadToSend();
  head.target = "/a b";
  EXPECT_FALSE(ToHttp2Fields(head, "https").has_value());
}

TEST(Http2FieldsTest, LeavesOutWhatCannotBeSentOfAnAnswer) {
  ResponseHead head;
  head.status = 200;
  head.headers.Add("Set-Cookie", "a");
  head.headers.Add("x", "a\nb");
  head.headers.Add("Keep-Alive", "5");
  Http2Fields wanted{{":status", "200"}, {"set-cookie", "a"}};
  EXPECT_EQ(ToHttp2Fields(head), wanted);
}

TEST(Http2FieldsTest, TrailersHaveNoPseudoFieldsAndNoLength) {
  http::Headers trailers = Http2Trailers({{":status", "200"}, {"grpc-status", "0"}});
  EXPECT_EQ(trailers.size(), 1u);
  trailers.Add("Content-Length", "5");
  Http2Fields wanted{{"grpc-status", "0"}};
  EXPECT_EQ(ToHttp2Fields(trailers), wanted);
}

TEST(Http2FieldsTest, WhatMayBeASecretIsNeverIndexed) {
  for (std::string_view name : {"authorization", "x-api-key", "cookie", ":path", "anything"}) {
    EXPECT_FALSE(MayBeIndexed(name)) << name;
  }
  EXPECT_TRUE(MayBeIndexed("user-agent"));
}

TEST(Http2FieldsTest, AMessageHasOneLengthAndNoneWhereThereIsNoBody) {
  auto lengths = [](const Http2Fields& fields) {
    return std::count_if(fields.begin(), fields.end(),
                         [](const auto& field) { return field.first == "content-length"; });
  };
  ResponseHead response;
  response.headers.Add("Content-Length", "5");
  response.headers.Add("content-length", "5");
  for (auto [status, count] : {std::pair{200, 1}, {304, 1}, {204, 0}, {103, 0}}) {
    response.status = status;
    EXPECT_EQ(lengths(ToHttp2Fields(response)), count) << status;
  }
  RequestHead request;
  request.method = "POST";
  request.authority = "a";
  request.target = "/";
  request.headers = response.headers;
  EXPECT_EQ(lengths(*ToHttp2Fields(request, "https")), 1);
}

}  // namespace
}  // namespace viv::gateway
