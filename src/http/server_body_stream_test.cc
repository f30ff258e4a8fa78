#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "http/server_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kChunkedHead[] =
    "POST /stream HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string HeadWithLength(std::size_t length, std::string_view more = "") {
  return "POST /stream HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         std::string(more) + "\r\n";
}

// Streams what goes to /stream..., in small limits that do not hold for it.
ServerOptions StreamingOptions() {
  ServerOptions options;
  options.body_bytes_max = 1000;
  options.streams_body = [](const Request& request) { return request.path.starts_with("/stream"); };
  return options;
}

// "bytes pieces_were_small_enough", or the error's code.
Task<Response> CountBody(Request& request) {
  if (request.body_stream == nullptr) co_return Text(200, "whole " + request.body);
  std::size_t total = 0;
  std::size_t largest = 0;
  for (;;) {
    Result<std::string> piece = co_await request.body_stream->Read();
    if (!piece) {
      bool broken = piece.error().code == ErrorCode::kInvalidArgument;
      co_return Text(400, broken ? "broken" : "gone");
    }
    if (piece->empty()) break;
    total += piece->size();
    largest = std::max(largest, piece->size());
  }
  Result<std::string> again = co_await request.body_stream->Read();
  bool ended = again && again->empty();
  co_return Text(200, std::to_string(total) + (largest <= 256 * 1024 ? " fits" : " too large") +
                          (ended ? " ended" : " goes on"));
}

Task<Response> IgnoreBody(Request&) {
  co_return Text(403, "no");
}

// Answers each piece before the next one is sent.
Task<Response> EchoPieces(Request& request) {
  Response response;
  response.stream = [&request](BodyWriter& writer) -> Task<void> {
    for (;;) {
      Result<std::string> piece = co_await request.body_stream->Read();
      if (!piece || piece->empty()) co_return;
      Status written = co_await writer.Write(*std::move(piece));
      if (!written) co_return;
    }
  };
  co_return response;
}

TEST(ServerBodyStreamTest, StreamsABodyOfAnySizeByItsLength) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  std::string body(3 << 20, 'b');
  for (int i = 0; i < 2; ++i) {
    client.Send(HeadWithLength(body.size()) + body);
    EXPECT_EQ(client.ReadResponse().body, "3145728 fits ended");
  }
}

TEST(ServerBodyStreamTest, StreamsAChunkedBody) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  std::string chunk = "10000\r\n" + std::string(0x10000, 'c') + "\r\n";
  client.Send(kChunkedHead);
  for (int i = 0; i < 20; ++i) client.Send(chunk);
  client.Send("3;x=y\r\nabc\r\n0\r\nTrailer: t\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body, "1310723 fits ended");
}

TEST(ServerBodyStreamTest, FindsTheNextRequestBehindAStreamedBody) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  client.Send(std::string(kChunkedHead) + "2\r\nab\r\n0\r\n\r\n" + HeadWithLength(3) + "abc" +
              "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxy");
  EXPECT_EQ(client.ReadResponse().body, "2 fits ended");
  EXPECT_EQ(client.ReadResponse().body, "3 fits ended");
  EXPECT_EQ(client.ReadResponse().body, "whole xy");
}

TEST(ServerBodyStreamTest, GivesAStreamEvenWhereThereIsNoBody) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  client.Send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.ReadResponse().body, "0 fits ended");
  client.Send(HeadWithLength(0));
  EXPECT_EQ(client.ReadResponse().body, "0 fits ended");
}

TEST(ServerBodyStreamTest, LimitsTheBodiesThatAreNotStreamed) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  client.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
}

TEST(ServerBodyStreamTest, DecidesOnTheWholeHead) {
  ServerOptions options;
  options.streams_body = [](const Request& request) {
    return request.method == "PUT" && request.headers.Has("x-last") && request.body.empty() &&
           request.remote == "127.0.0.1";
  };
  RunningServer server(CountBody, std::move(options));
  RawClient client(server->port());
  client.Send("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nX-Last: 1\r\n\r\nab");
  EXPECT_EQ(client.ReadResponse().body, "2 fits ended");
}

TEST(ServerBodyStreamTest, SendsContinueOnceTheBodyIsRead) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  client.Send(HeadWithLength(2, "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.ReadThrough("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ab");
  EXPECT_EQ(client.ReadResponse().body, "2 fits ended");
}

TEST(ServerBodyStreamTest, SendsNoContinueForABodyThatIsNotRead) {
  RunningServer server(IgnoreBody, StreamingOptions());
  RawClient client(server->port());
  client.Send(HeadWithLength(2, "Expect: 100-continue\r\n"));
  client.EndSending();
  std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
}

TEST(ServerBodyStreamTest, TellsTheHandlerOfABrokenChunk) {
  RunningServer server(CountBody, StreamingOptions());
  for (std::string broken : {"zz\r\nabc\r\n", "3\r\nabcd\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"}) {
    RawClient client(server->port());
    client.Send(kChunkedHead + broken);
    RawClient::RawResponse answer = client.ReadResponse();
    EXPECT_EQ(answer.body, "broken") << broken;
    client.EndSending();
    EXPECT_EQ(client.ReadToEnd(), "");
  }
}

TEST(ServerBodyStreamTest, TellsTheHandlerOfATruncatedBody) {
  RunningServer server(CountBody, StreamingOptions());
  for (const std::string& part :
       {HeadWithLength(5) + "ab", kChunkedHead + std::string("5\r\nab")}) {
    RawClient client(server->port());
    client.Send(part);
    client.EndSending();
    EXPECT_EQ(client.ReadResponse().body, "gone");
  }
}

TEST(ServerBodyStreamTest, TellsTheHandlerOfASilentClient) {
  ServerOptions options = StreamingOptions();
  options.body_timeout = std::chrono::milliseconds(20);
  RunningServer server(CountBody, std::move(options));
  RawClient client(server->port());
  client.Send(HeadWithLength(5) + "ab");
  EXPECT_EQ(client.ReadResponse().body, "gone");
}

TEST(ServerBodyStreamTest, LimitsTheLinesBetweenChunks) {
  RunningServer server(CountBody, StreamingOptions());
  RawClient client(server->port());
  client.Send(kChunkedHead + std::string("1;x=") + std::string(200'000, 'x'));
  EXPECT_EQ(client.ReadResponse().body, "broken");
}

TEST(ServerBodyStreamTest, TakesASmallUnreadBodyAwayAndGoesOn) {
  RunningServer server(IgnoreBody, StreamingOptions());
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.Send(HeadWithLength(100'000));
    RawClient::RawResponse answer = client.ReadResponse();
    EXPECT_THAT(answer.head, StartsWith("HTTP/1.1 403 "));
    EXPECT_THAT(answer.head, Not(HasSubstr("close")));
    client.Send(std::string(100'000, 'x'));
  }
}

TEST(ServerBodyStreamTest, AnswersALargeUnreadBodyAndCloses) {
  RunningServer server(IgnoreBody, StreamingOptions());
  RawClient client(server->port());
  client.Send(HeadWithLength(8 << 20) + std::string(4 << 20, 'x'));
  RawClient::RawResponse answer = client.ReadResponse();
  EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(answer.body, "no");
}

TEST(ServerBodyStreamTest, ClosesWhenALittleLeftIsKeptBack) {
  RunningServer server(IgnoreBody, StreamingOptions());
  RawClient client(server->port());
  client.Send(HeadWithLength(5) + "ab");
  EXPECT_EQ(client.ReadResponse().body, "no");
  client.EndSending();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerBodyStreamTest, AnswersWhileTheBodyStillArrives) {
  RunningServer server(EchoPieces, StreamingOptions());
  RawClient client(server->port());
  client.Send(kChunkedHead);
  EXPECT_THAT(client.ReadThrough("\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  for (std::string word : {"one", "two", "three"}) {
    client.Send(std::to_string(word.size()) + "\r\n" + word + "\r\n");
    EXPECT_THAT(client.ReadThrough(word + "\r\n"), EndsWith(word + "\r\n"));
  }
  client.Send("0\r\n\r\n");
  EXPECT_EQ(client.ReadThrough("0\r\n\r\n"), "0\r\n\r\n");
  client.Send(std::string(kChunkedHead) + "0\r\n\r\n");  // the connection lives on
  EXPECT_THAT(client.ReadThrough("0\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST(ServerBodyStreamTest, NoticesAClientThatLeavesWhileItIsReadFrom) {
  std::promise<ErrorCode> failure;
  auto handler = [&failure](Request& request) -> Task<Response> {
    Result<std::string> piece("start");
    while (piece && !piece->empty()) piece = co_await request.body_stream->Read();
    failure.set_value(piece ? ErrorCode::kInternal : piece.error().code);
    co_return Empty(204);
  };
  RunningServer server(handler, StreamingOptions());
  {
    RawClient client(server->port());
    client.Send(HeadWithLength(100) + "ab");
    while (server->connections() == 0) std::this_thread::yield();
  }
  EXPECT_EQ(failure.get_future().get(), ErrorCode::kUnavailable);
}

TEST(ServerBodyStreamTest, ADrainEndsAHandlerThatWaitsForABody) {
  ServerOptions options = StreamingOptions();
  options.drain_timeout = std::chrono::milliseconds(20);
  std::promise<void> reading;
  auto handler = [&reading](Request& request) -> Task<Response> {
    reading.set_value();
    co_return co_await CountBody(request);
  };
  RunningServer server(handler, std::move(options));
  RawClient client(server->port());
  client.Send(HeadWithLength(5) + "ab");
  reading.get_future().wait();
  server.StopAndJoin();
}

}  // namespace
}  // namespace viv::http
