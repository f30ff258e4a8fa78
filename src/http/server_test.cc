#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "http/server_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// "METHOD target body"
Task<Response> ServerEcho(Request& request) {
  co_return Text(200, request.method + " " + request.target + " " + request.body);
}

Task<Response> ServerThrow(Request& request) {
  if (request.path == "/fine") co_return Text(200, "fine");
  throw std::runtime_error("secret");
}

Task<void> StreamThree(BodyWriter& writer) {
  for (const char* piece : {"one", "", "two", "three"}) {
    std::string text = piece;
    Status written = co_await writer.Write(std::move(text));
    if (!written) co_return;
  }
}

Task<Response> ServerStream(Request&) {
  Response response;
  response.stream = StreamThree;
  co_return response;
}

Task<void> StreamAndThrow(BodyWriter& writer) {
  std::string text = "one";
  Status written = co_await writer.Write(std::move(text));
  throw std::runtime_error("broken");
}

Task<Response> BrokenStream(Request&) {
  Response response;
  response.stream = StreamAndThrow;
  co_return response;
}

Task<Response> NoContent(Request&) {
  co_return Empty(204);
}

Task<Response> Large(Request&) {
  co_return Text(200, std::string(8 << 20, 'x'));
}

TEST(ServerTest, AnswersARequest) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n");
  RawClient::RawResponse answer = client.ReadResponse();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("\r\nServer: vivarium\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("\r\nDate: "));
  EXPECT_EQ(answer.body, "GET /a?b ");
}

TEST(ServerTest, ServesOneRequestAfterAnother) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  for (std::string path : {"/1", "/2", "/3"}) {
    client.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.ReadResponse().body, "GET " + path + " ");
  }
}

TEST(ServerTest, AnswersPipelinedRequestsInOrder) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  std::string requests;
  for (int i = 0; i < 100; ++i) {
    requests +=
        "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab";
  }
  client.Send(requests);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(client.ReadResponse().body, "POST /" + std::to_string(i) + " ab");
  }
}

TEST(ServerTest, ReadsAChunkedBody) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.Send("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body, "POST / abcde");
}

TEST(ServerTest, ReadsALargeBody) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  std::string body(3 << 20, 'b');
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  EXPECT_EQ(client.ReadResponse().body.size(), body.size() + 7);
}

TEST(ServerTest, WritesALargeResponse) {
  RunningServer server(Large);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body.size(), 8u << 20);
}

TEST(ServerTest, InvitesABodyThatWaitsForIt) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadThrough("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ab");
  EXPECT_EQ(client.ReadResponse().body, "POST / ab");
}

TEST(ServerTest, DoesNotInviteABodyThatIsTooLarge) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
}

TEST(ServerTest, AnswersHeadWithoutABody) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST(ServerTest, SendsNoLengthWithNoContent) {
  RunningServer server(NoContent);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), Not(HasSubstr("Content-Length")));
}

TEST(ServerTest, ClosesWhenAsked) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("Connection: close\r\n"));
}

TEST(ServerTest, ClosesAfterAnHttp10Request) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.0 200 OK\r\n"));
}

TEST(ServerTest, KeepsAnHttp10ConnectionThatWantsIt) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_THAT(client.ReadResponse().head, HasSubstr("Connection: keep-alive\r\n"));
  }
}

TEST(ServerTest, AnswersGarbageWith400AndCloses) {
  RunningServer server(ServerEcho);
  for (std::string garbage : {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x03"}) {
    RawClient client(server->port());
    client.Send(garbage);
    EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 400 "));
  }
}

TEST(ServerTest, ClosesOnATruncatedRequest) {
  RunningServer server(ServerEcho);
  for (std::string part : {"", "GET", "GET / HTTP/1.1\r\nHost: h\r\n",
                           "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab"}) {
    RawClient client(server->port());
    client.Send(part);
    client.EndSending();
    EXPECT_EQ(client.ReadToEnd(), "") << part;
  }
}

TEST(ServerTest, AnswersATooLargeHeaderWith431) {
  RunningServer server(ServerEcho);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(200'000, 'x'));
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 431 "));
}

TEST(ServerTest, AnswersATooLargeBodyWith413WithoutReadingIt) {
  ServerOptions options;
  options.body_bytes_max = 1000;
  RunningServer server(ServerEcho, std::move(options));
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\nabc");
  EXPECT_THAT(client.ReadThrough("large"), StartsWith("HTTP/1.1 413 "));
  client.EndSending();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerTest, AnswersASlowHeaderWith408) {
  ServerOptions options;
  options.header_timeout = std::chrono::milliseconds(20);
  RunningServer server(ServerEcho, std::move(options));
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHos");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
}

TEST(ServerTest, AnswersASlowBodyWith408) {
  ServerOptions options;
  options.body_timeout = std::chrono::milliseconds(20);
  RunningServer server(ServerEcho, std::move(options));
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
}

TEST(ServerTest, ClosesAnIdleConnectionWithoutAWord) {
  ServerOptions options;
  options.idle_timeout = std::chrono::milliseconds(20);
  RunningServer server(ServerEcho, std::move(options));
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadResponse();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerTest, GivesUpOnAClientThatDoesNotRead) {
  ServerOptions options;
  options.write_timeout = std::chrono::milliseconds(20);
  RunningServer server(Large, std::move(options));
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  while (server->connections() == 0) std::this_thread::yield();
  while (server->connections() > 0) std::this_thread::yield();
}

TEST(ServerTest, RefusesMoreConnectionsThanAllowed) {
  ServerOptions options;
  options.connections_max = 1;
  RunningServer server(ServerEcho, std::move(options));
  RawClient first(server->port());
  first.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  first.ReadResponse();
  RawClient second(server->port());
  EXPECT_THAT(second.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
  first.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(first.ReadResponse().head, StartsWith("HTTP/1.1 200 "));
}

TEST(ServerTest, AThrowingHandlerIsA500AndTheServerGoesOn) {
  RunningServer server(ServerThrow);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  RawClient::RawResponse answer = client.ReadResponse();
  EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
  client.Send("GET /fine HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body, "fine");
}

TEST(ServerTest, StreamsInChunksAndKeepsTheConnection) {
  RunningServer server(ServerStream);
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(client.ReadThrough("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_EQ(client.ReadThrough("0\r\n\r\n"), "3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n");
  }
}

TEST(ServerTest, StreamsToHttp10UntilTheEnd) {
  RunningServer server(ServerStream);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, EndsWith("\r\n\r\nonetwothree"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
}

TEST(ServerTest, DoesNotRunAStreamForHead) {
  RunningServer server(ServerStream);
  RawClient client(server->port());
  client.Send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\r\n\r\n"));
}

TEST(ServerTest, ABrokenStreamIsSeenToBeIncomplete) {
  RunningServer server(BrokenStream);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("3\r\none\r\n"));
}

TEST(ServerTest, ServesOnSeveralThreads) {
  ServerOptions options;
  options.threads = 3;
  RunningServer server(ServerEcho, std::move(options));
  for (int i = 0; i < 20; ++i) {
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(client.ReadResponse().body, "GET / ");
  }
}

TEST(ServerTest, RefusesAPortThatIsTaken) {
  for (unsigned threads : {1u, 2u}) {
    RunningServer server(ServerEcho);
    ServerOptions options;
    options.port = server->port();
    options.threads = threads;
    auto second = Server::Create(std::move(options), ServerEcho, nullptr);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  }
}

TEST(ServerTest, RefusesAHostThatIsNone) {
  ServerOptions options;
  options.host = "300.1.2.3.";
  EXPECT_FALSE(Server::Create(std::move(options), ServerEcho, nullptr));
}

TEST(ServerTest, RefusesToRunWithoutAHandler) {
  EXPECT_FALSE(Server::Create({}, nullptr, nullptr));
}

}  // namespace
}  // namespace viv::http
