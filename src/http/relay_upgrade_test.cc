#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "http/relay_test_support.h"

namespace viv::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kUpgradeRequest[] =
    "GET /socket HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: raw\r\n\r\n";
constexpr char kUpgradeAnswer[] =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\nX-A: b\r\n\r\n";

void Upgrade(RelayRig& rig) {
  rig.client->Send(kUpgradeRequest);
  EXPECT_THAT(rig.upstream->ReadThrough("\r\n\r\n"),
              EndsWith("Connection: Upgrade\r\nUpgrade: raw\r\n\r\n"));
  rig.upstream->Send(kUpgradeAnswer);
  std::string head = rig.client->ReadThrough("\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: Upgrade\r\nUpgrade: raw\r\n"));
  EXPECT_THAT(head, HasSubstr("X-A: b\r\n"));
}

TEST(RelayUpgradeTest, PipesBytesBothWays) {
  RelayRig rig;
  Upgrade(rig);
  for (std::string word : {"one", "two"}) {
    rig.client->Send(word);
    EXPECT_EQ(rig.upstream->ReadThrough(word), word);
    rig.upstream->Send(word);
    EXPECT_EQ(rig.client->ReadThrough(word), word);
  }
}

TEST(RelayUpgradeTest, PassesBytesThatCameWithTheHeads) {
  RelayRig rig;
  rig.client->Send(std::string(kUpgradeRequest) + "up");
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send(std::string(kUpgradeAnswer) + "down");
  rig.client->ReadThrough("\r\n\r\n");
  EXPECT_EQ(rig.client->ReadThrough("down"), "down");
  EXPECT_EQ(rig.upstream->ReadThrough("up"), "up");
}

TEST(RelayUpgradeTest, PassesTheEndOfEachDirectionOn) {
  RelayRig rig;
  Upgrade(rig);
  rig.client->Send("question");
  rig.client->EndSending();
  EXPECT_EQ(rig.upstream->ReadToEnd(), "question");
  rig.upstream->Send("answer");
  rig.upstream->EndSending();
  EXPECT_EQ(rig.client->ReadToEnd(), "answer");
  while (rig.server->connections() > 0) std::this_thread::yield();
}

TEST(RelayUpgradeTest, TheServersEndLeavesTheClientItsOwn) {
  RelayRig rig;
  Upgrade(rig);
  rig.upstream->EndSending();
  EXPECT_EQ(rig.client->ReadToEnd(), "");
  rig.client->Send("last");
  rig.client->EndSending();
  EXPECT_EQ(rig.upstream->ReadToEnd(), "last");
}

TEST(RelayUpgradeTest, AClientThatVanishesFreesTheUpstream) {
  RelayRig rig;
  Upgrade(rig);
  rig.client->ResetOnClose();
  rig.client.reset();
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
  while (rig.server->connections() > 0) std::this_thread::yield();
}

TEST(RelayUpgradeTest, AnUpstreamThatVanishesFreesTheClient) {
  RelayRig rig;
  Upgrade(rig);
  rig.upstream->ResetOnClose();
  rig.upstream.reset();
  EXPECT_EQ(rig.client->ReadToEnd(), "");
}

TEST(RelayUpgradeTest, CarriesMuchBothWaysAtOnce) {
  RelayRig rig;
  Upgrade(rig);
  std::string data(4 << 20, 'x');
  std::thread up([&] {
    rig.client->Send(data);
    rig.client->EndSending();
  });
  std::thread down([&] {
    rig.upstream->Send(data);
    rig.upstream->EndSending();
  });
  std::thread reader([&] { EXPECT_EQ(rig.upstream->ReadToEnd(), data); });
  EXPECT_EQ(rig.client->ReadToEnd(), data);
  up.join();
  down.join();
  reader.join();
}

TEST(RelayUpgradeTest, ADrainEndsThePipe) {
  RelayRig rig;
  Upgrade(rig);
  rig.server.StopAndJoin();
  EXPECT_EQ(rig.client->ReadToEnd(), "");
  EXPECT_EQ(rig.upstream->ReadToEnd(), "");
}

TEST(RelayUpgradeTest, ARefusedUpgradeIsAResponseLikeAnyOther) {
  RelayRig rig;
  rig.client->Send(kUpgradeRequest);
  rig.upstream->ReadThrough("\r\n\r\n");
  rig.upstream->Send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_EQ(rig.client->ReadResponse().body, "no");
}

Task<void> RelayedEcho(WebSocket& socket) {
  for (;;) {
    Result<WebSocket::Message> message = co_await socket.Read();
    if (!message) co_return;
    Status written = co_await socket.Write(*std::move(message));
    if (!written) co_return;
  }
}

// A WebSocket of one server, as clients of another reach it.
class RelayedSocketRig {
 public:
  explicit RelayedSocketRig(ServerOptions inner_options = {},
                            ServerOptions outer_options = StreamEveryBody())
      : inner([](Request&) { return Respond(); }, std::move(inner_options)),
        outer([this](Request& request) { return Pass(request); }, std::move(outer_options)) {}

 private:
  static Task<Response> Respond() {
    Response response;
    response.web_socket = RelayedEcho;
    co_return response;
  }
  Task<Response> Pass(Request& request) {
    UniqueFd upstream(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(inner->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(upstream.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    RelayOptions options;
    Result<Response> response = co_await Relay(request, std::move(upstream), std::move(options));
    co_return response ? *std::move(response) : Text(502, response.error().message);
  }

 public:
  RunningServer inner;
  RunningServer outer;
};

TEST(RelayUpgradeTest, CarriesAWebSocket) {
  namespace websocket = boost::beast::websocket;
  using asio::ip::tcp;
  RelayedSocketRig rig;
  asio::io_context io;
  websocket::stream<tcp::socket> stream(io);
  stream.next_layer().connect(tcp::endpoint(asio::ip::address_v4::loopback(), rig.outer->port()));
  stream.handshake("localhost", "/");
  for (std::size_t size : {5, 1 << 20}) {
    std::string data(size, 'w');
    stream.write(asio::buffer(data));
    boost::beast::flat_buffer buffer;
    stream.read(buffer);
    EXPECT_EQ(boost::beast::buffers_to_string(buffer.data()), data);
  }
  stream.close(websocket::close_code::normal);
}

// A client whose packets stop: its connection stands for ever, as far as the kernel knows.
TEST(RelayUpgradeTest, AClientThatFallsSilentIsFreedOnBothSides) {
  ServerOptions inner_options;
  inner_options.socket_idle_timeout = std::chrono::milliseconds(50);
  ServerOptions outer_options = StreamEveryBody();
  outer_options.idle_timeout = std::chrono::milliseconds(50);
  RelayedSocketRig rig(std::move(inner_options), std::move(outer_options));
  RawClient client(rig.outer->port());
  client.Send(
      "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_THAT(client.ReadThrough("\r\n\r\n"), StartsWith("HTTP/1.1 101 "));
  while (rig.inner->connections() > 0) std::this_thread::yield();
  while (rig.outer->connections() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace viv::http
