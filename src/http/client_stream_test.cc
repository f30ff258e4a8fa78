#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "http/client.h"
#include "http/server_test_support.h"

namespace viv::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename T>
T RunTask(Task<T> task) {
  asio::io_context io;
  std::optional<T> result;
  asio::co_spawn(io, std::move(task), [&result](std::exception_ptr failure, T value) {
    if (!failure) result.emplace(std::move(value));
  });
  io.run();
  return *std::move(result);
}

struct SocketPair {
  UniqueFd client;
  UniqueFd server;
};

SocketPair MakeSocketPair() {
  int pair[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  return {UniqueFd(pair[0]), UniqueFd(pair[1])};
}

// Gives `pieces` one after another, then the end.
std::function<Task<Result<std::string>>()> PiecesOf(std::vector<std::string> pieces) {
  auto next = std::make_shared<std::size_t>(0);
  return [pieces, next]() -> Task<Result<std::string>> {
    if (*next == pieces.size()) co_return std::string();
    co_return pieces[(*next)++];
  };
}

Task<Response> EchoStreamed(Request& request) {
  Response response;
  response.stream = [&request](BodyWriter& writer) -> Task<void> {
    for (;;) {
      Result<std::string> piece = co_await request.body_stream->Read();
      if (!piece) writer.Abort();
      if (!piece || piece->empty()) co_return;
      Status written = co_await writer.Write(*std::move(piece));
      if (!written) co_return;
    }
  };
  co_return response;
}

Task<Response> PourForever(Request&) {
  Response response;
  response.stream = [](BodyWriter& writer) -> Task<void> {
    for (;;) {
      std::string piece(10'000, 'x');
      Status written = co_await writer.Write(std::move(piece));
      if (!written) co_return;
    }
  };
  co_return response;
}

ServerOptions StreamAll() {
  ServerOptions options;
  options.streams_body = [](const Request&) { return true; };
  return options;
}

TEST(ClientOverTest, FetchesOverAConnectedSocket) {
  SocketPair pair = MakeSocketPair();
  RawClient other(std::move(pair.server));
  other.Send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nhi");
  ClientRequest request;
  request.method = "POST";
  request.url = "/path?query";
  request.body = "body";
  Result<ClientResponse> response = RunTask(FetchOver(std::move(pair.client), std::move(request)));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "hi");
  EXPECT_EQ(response->headers.Get("x-a"), "b");
  EXPECT_EQ(other.ReadToEnd(),
            "POST /path?query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
            "Connection: close\r\n\r\nbody");
}

TEST(ClientOverTest, KeepsTheHostItWasGiven) {
  SocketPair pair = MakeSocketPair();
  RawClient other(std::move(pair.server));
  other.Send("HTTP/1.1 204 No Content\r\n\r\n");
  ClientRequest request;
  request.url = "http://ignored:81/a";
  request.headers.Add("Host", "own");
  request.headers.Add("Content-Length", "77");
  ASSERT_TRUE(RunTask(FetchOver(std::move(pair.client), std::move(request))));
  EXPECT_EQ(other.ReadToEnd(), "GET /a HTTP/1.1\r\nHost: own\r\nConnection: close\r\n\r\n");
}

TEST(ClientOverTest, RefusesWhatIsNoSocket) {
  ClientRequest request;
  request.url = "/";
  UniqueFd none(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Result<ClientResponse> response = RunTask(FetchOver(std::move(none), std::move(request)));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument);
}

TEST(ClientOverTest, FailsOnAMalformedResponse) {
  for (std::string_view answer :
       {"", "HTTP/1.1 200", "nonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    SocketPair pair = MakeSocketPair();
    RawClient other(std::move(pair.server));
    other.Send(answer);
    other.EndSending();
    ClientRequest request;
    request.url = "/";
    Result<ClientResponse> response =
        RunTask(FetchOver(std::move(pair.client), std::move(request)));
    ASSERT_FALSE(response) << answer;
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable) << answer;
  }
}

TEST(ClientOverTest, DoesNotWaitForeverForAResponse) {
  SocketPair pair = MakeSocketPair();
  ClientRequest request;
  request.url = "/";
  request.timeout = std::chrono::milliseconds(20);
  Result<ClientResponse> response = RunTask(FetchOver(std::move(pair.client), std::move(request)));
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message, HasSubstr("too long"));
}

TEST(ClientOverTest, AbandonsAResponseThatNobodyWantsAnyMore) {
  SocketPair sockets = MakeSocketPair();
  ClientRequest request;
  request.url = "/";
  request.is_abandoned = [] { return true; };
  auto answer = RunTask(FetchOver(std::move(sockets.client), std::move(request)));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("went away"));
}

TEST(ClientStreamTest, SendsABodyInPiecesAndReadsTheResponseInPieces) {
  RunningServer server(EchoStreamed, StreamAll());
  ClientRequest request;
  request.method = "POST";
  request.url = server.Url("/");
  std::vector<std::string> pieces(50, std::string(100'000, 'p'));
  request.body_source = PiecesOf(pieces);
  std::size_t total = 0;
  int status = 0;
  StreamCallbacks callbacks;
  callbacks.on_head = [&status](int code, const Headers&) -> Status {
    status = code;
    return {};
  };
  callbacks.on_piece = [&total](std::string piece) -> Status {
    total += piece.size();
    return {};
  };
  Status done = FetchStreamBlocking(std::move(request), std::move(callbacks));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(status, 200);
  EXPECT_EQ(total, 5'000'000u);
}

TEST(ClientStreamTest, AFailingSourceEndsTheExchangeWithItsError) {
  RunningServer server(EchoStreamed, StreamAll());
  ClientRequest request;
  request.method = "POST";
  request.url = server.Url("/");
  request.body_source = []() -> Task<Result<std::string>> {
    co_return Fail(ErrorCode::kNotFound, "no such file");
  };
  Status done = FetchStreamBlocking(std::move(request), {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kNotFound);
}

TEST(ClientStreamTest, ACallbackCanBreakOffAnEndlessResponse) {
  RunningServer server(PourForever);
  ClientRequest request;
  request.url = server.Url("/");
  int pieces = 0;
  StreamCallbacks callbacks;
  callbacks.on_piece = [&pieces](std::string) -> Status {
    if (++pieces < 3) return {};
    return Fail(ErrorCode::kLimitExceeded, "enough");
  };
  Status done = FetchStreamBlocking(std::move(request), std::move(callbacks));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "enough");
  while (server->connections() > 0) std::this_thread::yield();
}

TEST(ClientStreamTest, TellsABodyThatBreaksOff) {
  SocketPair pair = MakeSocketPair();
  RawClient other(std::move(pair.server));
  other.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  other.EndSending();
  auto read = [](UniqueFd connection) -> Task<Result<std::string>> {
    ClientRequest request;
    request.url = "/";
    ASSIGN_OR_CO_RETURN(auto answer,
                        co_await FetchStreamOver(std::move(connection), std::move(request)));
    ASSIGN_OR_CO_RETURN(std::string first, co_await answer->Read());
    EXPECT_EQ(first, "abc");
    co_return co_await answer->Read();
  };
  Result<std::string> second = RunTask(read(std::move(pair.client)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST(ClientStreamTest, LimitsTheSilenceBetweenPieces) {
  SocketPair pair = MakeSocketPair();
  RawClient other(std::move(pair.server));
  other.Send("HTTP/1.1 200 OK\r\n\r\n");
  auto read = [](UniqueFd connection) -> Task<Result<std::string>> {
    ClientRequest request;
    request.url = "/";
    request.silence_timeout = std::chrono::milliseconds(20);
    ASSIGN_OR_CO_RETURN(auto answer,
                        co_await FetchStreamOver(std::move(connection), std::move(request)));
    co_return co_await answer->Read();
  };
  EXPECT_FALSE(RunTask(read(std::move(pair.client))));
}

TEST(ClientStreamTest, GetsAResponseGivenBeforeTheBodyEnds) {
  auto refuse = [](Request&) -> Task<Response> { co_return Text(403, "no"); };
  RunningServer server(refuse, StreamAll());
  ClientRequest request;
  request.method = "POST";
  request.url = server.Url("/");
  request.body_source = PiecesOf(std::vector<std::string>(100, std::string(100'000, 'x')));
  Result<ClientResponse> response = FetchBlocking(std::move(request));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 403);
  EXPECT_EQ(response->body, "no");
}

}  // namespace
}  // namespace viv::http
