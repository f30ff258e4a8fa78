#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <future>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/server_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Task<void> EchoBytes(ByteStream& stream) {
  for (;;) {
    Result<std::string> bytes = co_await stream.Read();
    if (!bytes) co_return;
    if (bytes->empty()) break;
    Status written = co_await stream.Write(*std::move(bytes));
    if (!written) co_return;
  }
  std::string last = "bye";
  Status written = co_await stream.Write(std::move(last));
}

Task<Response> TakeOver(Request&) {
  Response response;
  response.status = 101;
  response.headers.Add("Connection", "Upgrade");
  response.headers.Add("Upgrade", "echo");
  response.headers.Add("X-Evil", "a\r\nb: c");
  response.takeover = EchoBytes;
  co_return response;
}

Task<void> WriteAndAbort(BodyWriter& writer) {
  std::string piece = "half";
  Status written = co_await writer.Write(std::move(piece));
  writer.Abort();
}

Task<Response> AbortedStream(Request&) {
  Response response;
  response.stream = WriteAndAbort;
  co_return response;
}

// A stream of `sent` bytes that promised five.
Handler Promising(std::string sent) {
  return [sent](Request&) -> Task<Response> {
    Response response;
    response.headers.Add("Content-Length", "5");
    response.stream = [sent](BodyWriter& writer) -> Task<void> {
      std::string piece = sent;
      Status written = co_await writer.Write(std::move(piece));
    };
    co_return response;
  };
}

TEST(ServerTakeoverTest, SendsTheHeadAsItIsAndThenBytes) {
  RunningServer server(TakeOver);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\nearly");
  EXPECT_EQ(client.ReadThrough("\r\n\r\n"),
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  EXPECT_EQ(client.ReadThrough("early"), "early");
  client.Send("later");
  EXPECT_EQ(client.ReadThrough("later"), "later");
  client.EndSending();
  EXPECT_EQ(client.ReadToEnd(), "bye");
}

TEST(ServerTakeoverTest, CarriesMuch) {
  RunningServer server(TakeOver);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadThrough("\r\n\r\n");
  std::string data(4 << 20, 'x');
  std::thread sender([&client, &data] {
    client.Send(data);
    client.EndSending();
  });
  EXPECT_EQ(client.ReadToEnd(), data + "bye");
  sender.join();
}

TEST(ServerTakeoverTest, HasNoDeadlineForASilentClient) {
  ServerOptions options;
  options.idle_timeout = options.header_timeout = options.body_timeout = options.write_timeout =
      std::chrono::milliseconds(5);
  auto handler = [](Request&) -> Task<Response> {
    Response response;
    response.takeover = [](ByteStream& stream) -> Task<void> {
      asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(50));
      co_await timer.async_wait(asio::use_awaitable);  // ten times every deadline
      std::string word = "still here";
      Status written = co_await stream.Write(std::move(word));
      Result<std::string> bytes = co_await stream.Read();
    };
    co_return response;
  };
  RunningServer server(handler, std::move(options));
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadThrough("here"), EndsWith("still here"));
}

TEST(ServerTakeoverTest, WhoWasToldTheEndHasLimitedTime) {
  ServerOptions options;
  options.idle_timeout = std::chrono::milliseconds(5);
  std::promise<bool> failed;
  auto handler = [&failed](Request&) -> Task<Response> {
    Response response;
    response.takeover = [&failed](ByteStream& stream) -> Task<void> {
      stream.CloseWrite();
      Result<std::string> bytes = co_await stream.Read();
      failed.set_value(!bytes);
    };
    co_return response;
  };
  RunningServer server(handler, std::move(options));
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\r\n\r\n"));
  EXPECT_TRUE(failed.get_future().get());
}

TEST(ServerTakeoverTest, ADrainCancelsIt) {
  RunningServer server(TakeOver);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadThrough("\r\n\r\n");
  server.StopAndJoin();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerTakeoverTest, SurvivesAClientThatVanishes) {
  RunningServer server(TakeOver);
  {
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadThrough("\r\n\r\n");
    client.ResetOnClose();
  }
  while (server->connections() > 0) std::this_thread::yield();
}

TEST(ServerAbortTest, AnAbortedStreamIsSeenAsAReset) {
  RunningServer server(AbortedStream);
  for (std::string version : {"HTTP/1.1", "HTTP/1.0"}) {
    RawClient client(server->port());
    client.Send("GET / " + version + "\r\nHost: h\r\n\r\n");
    std::string answer = client.ReadToEnd();
    EXPECT_THAT(answer, Not(HasSubstr("0\r\n\r\n")));
    EXPECT_EQ(client.error(), ECONNRESET) << version;
  }
}

TEST(ServerAbortTest, AStreamMayPromiseItsLength) {
  RunningServer server(Promising("12345"));
  RawClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    RawClient::RawResponse answer = client.ReadResponse();
    EXPECT_THAT(answer.head, Not(HasSubstr("chunked")));
    EXPECT_EQ(answer.body, "12345");
  }
  client.Send("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  std::string head = client.ReadToEnd();
  EXPECT_THAT(head, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(head, EndsWith("\r\n\r\n"));
}

TEST(ServerAbortTest, AStreamThatBreaksItsPromiseIsReset) {
  for (std::string sent : {"1234", "123456"}) {
    RunningServer server(Promising(sent));
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadToEnd();
    EXPECT_EQ(client.error(), ECONNRESET) << sent;
  }
}

}  // namespace
}  // namespace viv::http
