#include "http/client.h"

#include <gtest/gtest.h>

#include "http/server_test_support.h"

namespace viv::http {
namespace {

Task<Response> ClientEcho(Request& request) {
  Response response = Text(201, request.method + " " + request.target + " " + request.body);
  response.headers.Add("X-Seen", std::string(request.headers.Get("x-sent")));
  co_return response;
}

Task<Response> ClientFlood(Request&) {
  Response response;
  response.stream = [](BodyWriter& writer) -> Task<void> {
    for (;;) {
      std::string piece(1000, 'x');
      Status written = co_await writer.Write(std::move(piece));
      if (!written) co_return;
    }
  };
  co_return response;
}

TEST(ClientTest, SendsARequestAndGetsTheResponse) {
  RunningServer server(ClientEcho);
  ClientRequest request;
  request.method = "POST";
  request.url = server.Url("/a?b=c#fragment");
  request.headers.Add("X-Sent", "yes");
  request.body = "body";
  Result<ClientResponse> response = FetchBlocking(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.Get("x-seen"), "yes");
  EXPECT_EQ(response->body, "POST /a?b=c body");
}

TEST(ClientTest, ExpectsNoBodyAfterHead) {
  RunningServer server(ClientEcho);
  ClientRequest request;
  request.method = "HEAD";
  request.url = server.Url("/");
  Result<ClientResponse> response = FetchBlocking(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "");
}

TEST(ClientTest, RefusesAMalformedUrl) {
  for (const char* url : {"", "https://h/", "ftp://h", "http://", "http:///a", "http://h:0/",
                          "http://h:99999/", "http://h:x/", "http://u@h/", "http://h/a b",
                          "http://h/\r\nX: y", "http://[::1/", "http://[]/", "http://[::1]x/"}) {
    ClientRequest request;
    request.url = url;
    Result<ClientResponse> response = FetchBlocking(std::move(request));
    ASSERT_FALSE(response) << url;
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument) << url;
  }
}

TEST(ClientTest, RefusesAMalformedMethodOrHeader) {
  ClientRequest method;
  method.url = "http://127.0.0.1:1/";
  method.method = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(FetchBlocking(std::move(method)).error().code, ErrorCode::kInvalidArgument);
  ClientRequest header;
  header.url = "http://127.0.0.1:1/";
  header.headers.Add("X", "a\r\nY: b");
  EXPECT_EQ(FetchBlocking(std::move(header)).error().code, ErrorCode::kInvalidArgument);
}

TEST(ClientTest, TellsWhenNobodyListens) {
  std::uint16_t port = 0;
  {
    RunningServer server(ClientEcho);
    port = server->port();
  }
  ClientRequest request;
  request.url = "http://127.0.0.1:" + std::to_string(port) + "/";
  Result<ClientResponse> response = FetchBlocking(std::move(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
}

TEST(ClientTest, LimitsTheResponse) {
  RunningServer server(ClientFlood);
  ClientRequest request;
  request.url = server.Url("/");
  request.body_bytes_max = 5000;
  Result<ClientResponse> response = FetchBlocking(std::move(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kLimitExceeded);
}

TEST(ClientTest, GetsAResponseGivenBeforeTheWholeBodyWasRead) {
  ServerOptions options;
  options.body_bytes_max = 1000;
  RunningServer server(ClientEcho, std::move(options));
  ClientRequest request;
  request.method = "POST";
  request.url = server.Url("/");
  request.body.assign(4 << 20, 'x');
  Result<ClientResponse> response = FetchBlocking(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 413);
}

}  // namespace
}  // namespace viv::http
