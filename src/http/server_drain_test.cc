// Stop(), and clients that go away while the server is busy with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/blocking_pool.h"
#include "http/server_test_support.h"
#include "http/sse.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kForever = std::chrono::hours(1);

Task<void> WaitForever() {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(kForever);
  co_await timer.async_wait(asio::use_awaitable);
}

// A handler that waits until the test opens the gate.
struct DrainGate {
  std::promise<void> entered;
  std::promise<void> opened;
  BlockingPool pool{1};

  Task<Response> Pass(Request&) {
    entered.set_value();
    auto wait = [this] {
      opened.get_future().wait();
      return 200;
    };
    int status = co_await pool.Run(wait);
    co_return Text(status, "passed");
  }
};

// A stream that says one thing and then nothing more; `ended` is set when it is cancelled.
struct SilentStream {
  std::promise<void> ended;

  struct Signal {
    std::promise<void>& promise;
    ~Signal() { promise.set_value(); }
  };

  Task<void> Run(BodyWriter& writer) {
    Signal signal{ended};
    std::string piece = "hello";
    Status written = co_await writer.Write(std::move(piece));
    co_await WaitForever();
  }

  Task<Response> Serve(Request&) {
    co_return EventStream([this](BodyWriter& writer) { return Run(writer); });
  }
};

Task<Response> DrainOk(Request&) {
  co_return Text(200, "ok");
}

Task<Response> DrainHang(Request&) {
  co_await WaitForever();
  co_return Response();
}

TEST(ServerDrainTest, StopsWhenNobodyIsThere) {
  RunningServer server(DrainOk);
  server.StopAndJoin();
}

TEST(ServerDrainTest, RunReturnsWhenStoppedBefore) {
  auto server = Server::Create({}, DrainOk, nullptr);
  ASSERT_TRUE(server);
  (*server)->Stop();
  (*server)->Run();
}

TEST(ServerDrainTest, ClosesIdleConnections) {
  RunningServer server(DrainOk);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadResponse();
  server.StopAndJoin();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerDrainTest, FinishesARequestUnderWay) {
  DrainGate gate;
  RunningServer server([&gate](Request& request) { return gate.Pass(request); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  gate.entered.get_future().wait();
  server->Stop();
  gate.opened.set_value();
  std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, EndsWith("passed"));
}

TEST(ServerDrainTest, CancelsAHandlerAtTheEndOfTheDrain) {
  ServerOptions options;
  options.drain_timeout = std::chrono::milliseconds(1);
  std::promise<void> entered;
  auto handler = [&entered](Request& request) {
    entered.set_value();
    return DrainHang(request);
  };
  RunningServer server(handler, std::move(options));
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  entered.get_future().wait();
  server.StopAndJoin();
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST(ServerDrainTest, EndsAStreamProperly) {
  SilentStream stream;
  RunningServer server([&stream](Request& request) { return stream.Serve(request); });
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.ReadThrough("hello\r\n");
  server->Stop();
  EXPECT_EQ(client.ReadToEnd(), "0\r\n\r\n");
  stream.ended.get_future().wait();
}

TEST(ServerDrainTest, NoticesAClientThatLeftASilentStream) {
  SilentStream stream;
  RunningServer server([&stream](Request& request) { return stream.Serve(request); });
  {
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadThrough("hello\r\n");
  }
  stream.ended.get_future().wait();
}

TEST(ServerDrainTest, AWriteFailsOnceTheClientLeft) {
  std::promise<Error> failure;
  auto pour = [&failure](BodyWriter& writer) -> Task<void> {
    for (;;) {
      std::string piece(64 * 1024, 'x');
      Status written = co_await writer.Write(std::move(piece));
      if (written) continue;
      failure.set_value(written.error());
      co_return;
    }
  };
  auto handler = [&pour](Request&) -> Task<Response> {
    Response response;
    response.stream = pour;
    co_return response;
  };
  RunningServer server(handler);
  {
    RawClient client(server->port());
    client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.ReadThrough("xxx");
  }
  EXPECT_EQ(failure.get_future().get().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace viv::http
