#include "gateway/http/http1_head.h"

#include <gtest/gtest.h>

namespace viv::gateway {
namespace {

http::Request RequestOf(std::string target, http::Headers headers) {
  http::Request request;
  request.method = "GET";
  request.target = std::move(target);
  request.path = "/a";
  request.query = "q=1";
  request.headers = std::move(headers);
  return request;
}

http::Headers HeadersOf(std::initializer_list<std::pair<std::string, std::string>> list) {
  http::Headers headers;
  for (const auto& [name, value] : list) headers.Add(name, value);
  return headers;
}

TEST(Http1HeadTest, TakesOutWhatIsForOneHop) {
  auto head = ReadRequestHead(RequestOf("/a?q=1", HeadersOf({{"Host", "h"},
                                                             {"Connection", "keep-alive, X-Secret"},
                                                             {"Keep-Alive", "1"},
                                                             {"X-Secret", "s"},
                                                             {"TE", "trailers"},
                                                             {"Proxy-Authorization", "p"},
                                                             {"Accept", "*/*"}})));
  ASSERT_TRUE(head);
  EXPECT_EQ(head->authority, "h");
  EXPECT_EQ(head->headers.size(), 1u);
  EXPECT_EQ(head->headers.Get("accept"), "*/*");
}

TEST(Http1HeadTest, TakesATargetInAbsoluteFormOnlyOfTheSameHost) {
  auto same = ReadRequestHead(RequestOf("http://h:80/a?q=1", HeadersOf({{"Host", "H:80"}})));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->target, "/a?q=1");
  auto other = ReadRequestHead(RequestOf("http://evil/a?q=1", HeadersOf({{"Host", "h"}})));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(ReadRequestHead(RequestOf("http://user@h/a?q=1", HeadersOf({{"Host", "h"}}))));
}

TEST(Http1HeadTest, AsksForNoUpgradeToAProtocolThatCarriesRequests) {
  for (std::string protocol : {"h2c", "H2C", "HTTP/2.0", "TLS/1.3", "websocket, h2c", ""}) {
    auto head = ReadRequestHead(RequestOf(
        "/a", HeadersOf({{"Host", "h"}, {"Connection", "Upgrade"}, {"Upgrade", protocol}})));
    ASSERT_TRUE(head);
    EXPECT_EQ(head->upgrade, "") << protocol;
  }
  auto head = ReadRequestHead(RequestOf(
      "/a", HeadersOf({{"Host", "h"}, {"Connection", "Upgrade"}, {"Upgrade", "websocket"}})));
  EXPECT_EQ(head->upgrade, "websocket");
  EXPECT_FALSE(head->headers.Has("upgrade"));
}

RequestHead SimpleRequest() {
  RequestHead head;
  head.method = "POST";
  head.authority = "h";
  head.target = "/x";
  return head;
}

std::string TextOf(const RequestHead& head) {
  std::string text;
  return AppendRequestHead(text, head, FramingOfRequest(head)) ? text : "refused";
}

TEST(Http1HeadTest, WritesTheFramingThatTheBodyHas) {
  RequestHead head = SimpleRequest();
  head.headers.Add("Content-Length", "77");  // only body_bytes counts
  head.headers.Add("A", "b");
  EXPECT_EQ(TextOf(head), "POST /x HTTP/1.1\r\nHost: h\r\nA: b\r\nContent-Length: 0\r\n\r\n");
  head.has_body = true;
  EXPECT_EQ(TextOf(head),
            "POST /x HTTP/1.1\r\nHost: h\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n");
  head.body_bytes = 3;
  EXPECT_EQ(TextOf(head), "POST /x HTTP/1.1\r\nHost: h\r\nA: b\r\nContent-Length: 3\r\n\r\n");
  head = SimpleRequest();
  head.method = "GET";
  EXPECT_EQ(TextOf(head), "GET /x HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(Http1HeadTest, SendsNoRequestThatWouldBecomeAnotherOne) {
  RequestHead head = SimpleRequest();
  head.headers.Add("A", "b\r\nHost: evil");
  EXPECT_EQ(TextOf(head), "refused");
  head = SimpleRequest();
  head.headers.Add("A:", "b");
  EXPECT_EQ(TextOf(head), "refused");
  for (std::string target : {"/a b", "/a\r\n", "", "/\x7f"}) {
    head = SimpleRequest();
    head.target = target;
    EXPECT_EQ(TextOf(head), "refused") << target;
  }
  head = SimpleRequest();
  head.method = "GET /y HTTP/1.1\r\n";
  EXPECT_EQ(TextOf(head), "refused");
  head = SimpleRequest();
  head.authority = "h\r\nA: b";
  EXPECT_EQ(TextOf(head), "refused");
}

std::string TextOf(const ResponseHead& head, const ResponseContext& context) {
  std::string text;
  AppendResponseHead(text, head, FramingOfResponse(head, context), context);
  return text;
}

TEST(Http1HeadTest, WritesAnswersAsTheGuestCanReadThem) {
  ResponseHead head;
  head.status = 200;
  head.has_body = true;
  EXPECT_EQ(TextOf(head, {}), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  ResponseContext old;
  old.http_1_1 = old.keep_alive = false;
  EXPECT_EQ(TextOf(head, old), "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\n");
  head.body_bytes = 5;
  EXPECT_EQ(TextOf(head, {}), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  head = ResponseHead();
  head.status = 200;
  EXPECT_EQ(TextOf(head, {}), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1HeadTest, KeepsTheLengthOfABodyThatIsNotSent) {
  ResponseHead head;
  head.status = 200;
  head.headers.Add("content-length", "5");
  ResponseContext for_head;
  for_head.asked_for_head = true;
  EXPECT_EQ(TextOf(head, for_head), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
  head.status = 304;
  EXPECT_EQ(TextOf(head, {}), "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n");
  head.status = 204;
  EXPECT_EQ(TextOf(head, {}), "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST(Http1HeadTest, LeavesOutAnswerHeadersThatWouldBecomeOthers) {
  ResponseHead head;
  head.status = 200;
  head.headers.Add("A", "b\nSet-Cookie: c");
  head.headers.Add("Transfer-Encoding", "chunked");
  EXPECT_EQ(TextOf(head, {}), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1HeadTest, EndsAChunkedBodyWithItsTrailers) {
  std::string text;
  AppendLastChunk(text, HeadersOf({{"grpc-status", "0"}, {"bad", "a\nb"}}));
  EXPECT_EQ(text, "0\r\ngrpc-status: 0\r\n\r\n");
}

}  // namespace
}  // namespace viv::gateway
