#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "http/server_test_support.h"

namespace viv::http {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SocketClient {
 public:
  explicit SocketClient(std::uint16_t port) : stream_(io_) {
    stream_.next_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), port));
    stream_.handshake(handshake_, "localhost", "/");
  }

  void Write(std::string_view data, bool text = true) {
    stream_.text(text);
    stream_.write(asio::buffer(data));
  }

  std::string Read() {
    beast::flat_buffer buffer;
    stream_.read(buffer, error_);
    return beast::buffers_to_string(buffer.data());
  }

  websocket::stream<tcp::socket>& stream() { return stream_; }
  const websocket::response_type& handshake() const { return handshake_; }
  const beast::error_code& error() const { return error_; }

 private:
  asio::io_context io_;
  websocket::stream<tcp::socket> stream_;
  websocket::response_type handshake_;
  beast::error_code error_;
};

Task<void> EchoUntilClosed(WebSocket& socket) {
  for (;;) {
    Result<WebSocket::Message> message = co_await socket.Read();
    if (!message) co_return;
    Status written = co_await socket.Write(*std::move(message));
    if (!written) co_return;
  }
}

Task<Response> SocketEcho(Request&) {
  Response response;
  response.headers.Add("X-Own", "yes");
  response.headers.Add("X-Evil", "a\r\nb: c");
  response.web_socket = EchoUntilClosed;
  co_return response;
}

Task<void> CloseAtOnce(WebSocket& socket) {
  std::string reason = "enough";
  co_await socket.Close(4001, std::move(reason));
}

Task<Response> SocketClosing(Request&) {
  Response response;
  response.web_socket = CloseAtOnce;
  co_return response;
}

Task<void> SocketThrowing(WebSocket&) {
  throw std::runtime_error("broken");
  co_return;
}

Task<Response> SocketBroken(Request&) {
  Response response;
  response.web_socket = SocketThrowing;
  co_return response;
}

TEST(ServerWebSocketTest, EchoesTextAndBinary) {
  RunningServer server(SocketEcho);
  SocketClient client(server->port());
  EXPECT_EQ(client.handshake()["X-Own"], "yes");
  EXPECT_EQ(client.handshake().count("X-Evil"), 0u);
  client.Write("hello");
  EXPECT_EQ(client.Read(), "hello");
  EXPECT_TRUE(client.stream().got_text());
  client.Write("\x01\x02", false);
  EXPECT_EQ(client.Read(), "\x01\x02");
  EXPECT_TRUE(client.stream().got_binary());
  client.stream().close(websocket::close_code::normal);
}

TEST(ServerWebSocketTest, CarriesALargeMessage) {
  RunningServer server(SocketEcho);
  SocketClient client(server->port());
  client.stream().read_message_max(4 << 20);
  std::string data(2 << 20, 'x');
  client.Write(data);
  EXPECT_EQ(client.Read(), data);
}

TEST(ServerWebSocketTest, RefusesATooLargeMessage) {
  RunningServer server(SocketEcho);
  SocketClient client(server->port());
  std::string data((16 << 20) + 1, 'x');
  beast::error_code ignored;
  client.stream().write(asio::buffer(data), ignored);
  client.Read();
  EXPECT_TRUE(client.error());
}

TEST(ServerWebSocketTest, ClosesWithItsOwnCode) {
  RunningServer server(SocketClosing);
  SocketClient client(server->port());
  client.Read();
  EXPECT_EQ(client.error(), websocket::error::closed);
  EXPECT_EQ(client.stream().reason().code, 4001);
  EXPECT_EQ(client.stream().reason().reason, "enough");
}

TEST(ServerWebSocketTest, AThrowingHandlerClosesAsAnInternalError) {
  RunningServer server(SocketBroken);
  SocketClient client(server->port());
  client.Read();
  EXPECT_EQ(client.stream().reason().code, websocket::close_code::internal_error);
}

TEST(ServerWebSocketTest, GoesAwayWhenTheServerStops) {
  RunningServer server(SocketEcho);
  SocketClient client(server->port());
  client.Write("hello");
  client.Read();
  server->Stop();
  client.Read();
  EXPECT_TRUE(client.error());
}

TEST(ServerWebSocketTest, SurvivesAClientThatVanishes) {
  RunningServer server(SocketEcho);
  {
    SocketClient client(server->port());
    client.Write("hello");
    client.Read();
  }
  while (server->connections() > 0) std::this_thread::yield();
}

constexpr char kSocketHandshake[] =
    "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

// Its connection stands, but nobody is there to answer a ping.
TEST(ServerWebSocketTest, GivesUpAClientThatAnswersNoPing) {
  ServerOptions options;
  options.socket_idle_timeout = std::chrono::milliseconds(100);
  RunningServer server(SocketEcho, std::move(options));
  RawClient client(server->port());
  client.Send(kSocketHandshake);
  EXPECT_THAT(client.ReadThrough("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
  while (server->connections() > 0) std::this_thread::yield();
  EXPECT_THAT(client.ReadToEnd(), StartsWith("\x89")) << "it was asked before";
}

TEST(ServerWebSocketTest, KeepsASilentClientThatAnswersPings) {
  ServerOptions options;
  options.socket_idle_timeout = std::chrono::milliseconds(100);
  RunningServer server(SocketEcho, std::move(options));
  RawClient client(server->port());
  client.Send(kSocketHandshake);
  client.ReadThrough("\r\n\r\n");
  for (int i = 0; i < 6; ++i) {  // three times its deadline
    ASSERT_EQ(client.ReadThrough(std::string("\x89\0", 2)), std::string("\x89\0", 2));
    client.Send(std::string("\x8a\x80\0\0\0\0", 6));
  }
  EXPECT_EQ(server->connections(), 1u);
}

TEST(ServerWebSocketTest, AsksAPlainRequestToUpgrade) {
  RunningServer server(SocketEcho);
  RawClient client(server->port());
  client.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 426 "));
  EXPECT_THAT(answer, HasSubstr("Upgrade: websocket\r\n"));
}

TEST(ServerWebSocketTest, RefusesABrokenFrame) {
  RunningServer server(SocketEcho);
  RawClient client(server->port());
  client.Send(kSocketHandshake);
  EXPECT_THAT(client.ReadThrough("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
  client.Send("\xff\xff\xff\xff");
  client.EndSending();
  client.ReadToEnd();
}

}  // namespace
}  // namespace viv::http
