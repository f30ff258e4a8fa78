// The tunnel over a real WebSocket, to real servers on this machine's loopback.

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/yamux.h"
#include "http/server_test_support.h"

namespace viv::agent {
namespace {

namespace websocket = boost::beast::websocket;
using asio::ip::tcp;

// Accepts on a loopback port and serves each connection on a thread of its own.
class LoopbackServer {
 public:
  using Serve = std::function<void(tcp::socket&)>;
  explicit LoopbackServer(Serve serve, tcp::endpoint at = {asio::ip::address_v4::loopback(), 0})
      : acceptor_(io_, at), serve_(std::move(serve)) {
    thread_ = std::thread([this] { Accept(); });
  }
  ~LoopbackServer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // wakes the thread
    thread_.join();
    for (auto& socket : sockets_) ::shutdown(socket->native_handle(), SHUT_RDWR);
    for (std::thread& connection : connections_) connection.join();
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  void Accept() {
    for (;;) {
      boost::system::error_code error;
      auto socket = std::make_shared<tcp::socket>(io_);
      acceptor_.accept(*socket, error);
      if (error) return;
      sockets_.push_back(socket);
      connections_.emplace_back([this, socket] {
        serve_(*socket);
        ::shutdown(socket->native_handle(), SHUT_RDWR);
      });
    }
  }

  asio::io_context io_;
  tcp::acceptor acceptor_;
  Serve serve_;
  std::thread thread_;
  std::vector<std::shared_ptr<tcp::socket>> sockets_;
  std::vector<std::thread> connections_;
};

void EchoToTheEnd(tcp::socket& socket) {
  std::string bytes(65536, '\0');
  boost::system::error_code error;
  for (;;) {
    std::size_t count = socket.read_some(asio::buffer(bytes), error);
    if (count == 0) return;
    asio::write(socket, asio::buffer(bytes.data(), count), error);
    if (error) return;
  }
}

// Answers with the number of bytes it got, once the client has ended its way.
void CountToTheEnd(tcp::socket& socket) {
  std::size_t total = 0;
  std::string bytes(65536, '\0');
  boost::system::error_code error;
  while (std::size_t count = socket.read_some(asio::buffer(bytes), error)) total += count;
  std::string answer = std::to_string(total);
  asio::write(socket, asio::buffer(answer), error);
}

std::uint16_t ClosedPort() {
  asio::io_context io;
  tcp::acceptor taken(io, {asio::ip::address_v4::loopback(), 0});
  return taken.local_endpoint().port();
}

class TunnelTest : public ::testing::Test {
 protected:
  TunnelTest() {
    AddTunnel(context_, router_);
    server_ = std::make_unique<http::RunningServer>(http::Dispatch(router_, http::RenderForTest));
    socket_.next_layer().connect({asio::ip::address_v4::loopback(), (*server_)->port()});
    timeval limit{.tv_sec = 60, .tv_usec = 0};  // only keeps a failing test from hanging
    ::setsockopt(socket_.next_layer().native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit,
                 sizeof limit);
    socket_.handshake("localhost", "/dataplane/tunnel");
    socket_.binary(true);
  }

  void Send(std::string_view bytes) { socket_.write(asio::buffer(bytes)); }
  void SendFrame(YamuxType type,
                 std::uint16_t flags,
                 std::uint32_t id,
                 std::string_view data = {}) {
    YamuxHeader header{type, flags, id, static_cast<std::uint32_t>(data.size())};
    Send(EncodeYamux(header) + std::string(data));
  }
  static std::string ConnectHeader(std::uint16_t port, char version = 1) {
    return {version, static_cast<char>(port >> 8), static_cast<char>(port & 0xFF)};
  }
  void Connect(std::uint32_t id, std::uint16_t port) {
    SendFrame(YamuxType::kWindowUpdate, kYamuxSyn, id);
    SendFrame(YamuxType::kData, 0, id, ConnectHeader(port));
  }

  // What was heard of a stream.
  struct Heard {
    std::string data;
    bool finished = false;
    bool reset = false;
    std::uint64_t room = kYamuxWindowBytes;
  };
  // Reads on until something is so; false when the connection ended before.
  bool ReadUntil(const std::function<bool()>& so) {
    while (!so()) {
      boost::beast::flat_buffer buffer;
      boost::system::error_code error;
      socket_.read(buffer, error);
      if (error) return so();
      parser_.Feed(boost::beast::buffers_to_string(buffer.data()));
      for (auto step = parser_.Next(); step != YamuxParser::Step::kMore; step = parser_.Next()) {
        Take(step);
      }
    }
    return true;
  }
  void Take(YamuxParser::Step step) {
    const YamuxHeader& header = parser_.header();
    Heard& heard = heard_[header.stream];
    if (step == YamuxParser::Step::kData) {
      heard.data += parser_.data();
      unacknowledged_[header.stream] += parser_.data().size();
      if (!gives_room_ || unacknowledged_[header.stream] < kYamuxWindowBytes / 2) return;
      auto count = static_cast<std::uint32_t>(std::exchange(unacknowledged_[header.stream], 0));
      Send(EncodeYamux({YamuxType::kWindowUpdate, 0, header.stream, count}));
      return;
    }
    if (header.type == YamuxType::kWindowUpdate) heard.room += header.length;
    if (header.type == YamuxType::kPing) pongs_.push_back(header.length);
    if (header.type == YamuxType::kGoAway) farewell_ = header.length;
    if ((header.flags & kYamuxFin) != 0) heard.finished = true;
    if ((header.flags & kYamuxRst) != 0) heard.reset = true;
  }
  // The byte that answers a connect; -1 when there is none.
  int StatusOf(std::uint32_t id) {
    if (!ReadUntil([&] { return !heard_[id].data.empty() || heard_[id].reset; })) return -1;
    if (heard_[id].data.empty()) return -1;
    int status = static_cast<unsigned char>(heard_[id].data[0]);
    heard_[id].data.erase(0, 1);
    return status;
  }

  Context context_;
  http::Router router_;
  std::unique_ptr<http::RunningServer> server_;
  asio::io_context io_;
  websocket::stream<tcp::socket> socket_{io_};
  YamuxParser parser_;
  std::map<std::uint32_t, Heard> heard_;
  std::map<std::uint32_t, std::size_t> unacknowledged_;
  bool gives_room_ = true;
  std::vector<std::uint32_t> pongs_;
  std::optional<std::uint32_t> farewell_;
};

TEST_F(TunnelTest, CarriesBytesBothWays) {
  LoopbackServer echo(EchoToTheEnd);
  Connect(1, echo.port());
  ASSERT_EQ(StatusOf(1), 0);
  SendFrame(YamuxType::kData, 0, 1, "hello");
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].data == "hello"; }));
  SendFrame(YamuxType::kData, kYamuxFin, 1, " and goodbye");
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].finished; }));
  EXPECT_EQ(heard_[1].data, "hello and goodbye");
  EXPECT_FALSE(heard_[1].reset);
}

TEST_F(TunnelTest, TakesWhatComesWithTheHeaderAndInPieces) {
  LoopbackServer echo(EchoToTheEnd);
  std::string header = ConnectHeader(echo.port());
  SendFrame(YamuxType::kData, kYamuxSyn, 1, header + "early");
  ASSERT_EQ(StatusOf(1), 0);
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].data == "early"; }));
  std::string bytes = EncodeYamux({YamuxType::kWindowUpdate, kYamuxSyn, 3, 0});
  for (char c : header) bytes += EncodeYamux({YamuxType::kData, 0, 3, 1}) + c;
  for (char c : bytes) Send(std::string(1, c));
  EXPECT_EQ(StatusOf(3), 0);
}

TEST_F(TunnelTest, KeepsHalfClosedStreamsOpen) {
  LoopbackServer counter(CountToTheEnd);
  Connect(1, counter.port());
  ASSERT_EQ(StatusOf(1), 0);
  SendFrame(YamuxType::kData, 0, 1, "12345");
  SendFrame(YamuxType::kWindowUpdate, kYamuxFin, 1);
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].finished; }));
  EXPECT_EQ(heard_[1].data, "5");
}

TEST_F(TunnelTest, HearsAClientWhoseServerHasEndedItsWay) {
  std::promise<std::string> got;
  LoopbackServer server([&](tcp::socket& socket) {
    socket.shutdown(tcp::socket::shutdown_send);
    std::string bytes(100, '\0');
    boost::system::error_code error;
    std::size_t count = asio::read(socket, asio::buffer(bytes), error);
    got.set_value(bytes.substr(0, count));
  });
  Connect(1, server.port());
  ASSERT_EQ(StatusOf(1), 0);
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].finished; }));
  SendFrame(YamuxType::kData, 0, 1, "still here");
  SendFrame(YamuxType::kWindowUpdate, kYamuxFin, 1);
  EXPECT_EQ(got.get_future().get(), "still here");
}

TEST_F(TunnelTest, CarriesMoreThanAWindowOnManyStreams) {
  LoopbackServer source([](tcp::socket& socket) {
    boost::system::error_code error;
    std::string bytes(1'000'000, 'd');
    asio::write(socket, asio::buffer(bytes), error);
  });
  for (std::uint32_t id = 1; id < 20; id += 2) Connect(id, source.port());
  ASSERT_TRUE(ReadUntil([&] {
    for (std::uint32_t id = 1; id < 20; id += 2) {
      if (!heard_[id].finished) return false;
    }
    return true;
  }));
  for (std::uint32_t id = 1; id < 20; id += 2) {
    EXPECT_EQ(heard_[id].data.size(), 1'000'001U);
    EXPECT_FALSE(heard_[id].reset);
  }
}

TEST_F(TunnelTest, SendsNoMoreThanTheClientHasRoomFor) {
  LoopbackServer source([](tcp::socket& socket) {
    boost::system::error_code error;
    std::string bytes(1'000'000, 'd');
    asio::write(socket, asio::buffer(bytes), error);
  });
  gives_room_ = false;
  Connect(1, source.port());
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].data.size() == kYamuxWindowBytes; }));
  Send(EncodeYamux({YamuxType::kPing, kYamuxSyn, 0, 5}));
  ASSERT_TRUE(ReadUntil([&] { return !pongs_.empty(); }));
  EXPECT_EQ(heard_[1].data.size(), kYamuxWindowBytes) << "one stream stands, the session does not";
  gives_room_ = true;
  Send(EncodeYamux({YamuxType::kWindowUpdate, 0, 1, kYamuxWindowBytes}));
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].finished; }));
  EXPECT_EQ(heard_[1].data.size(), 1'000'001U);
}

TEST_F(TunnelTest, TakesMoreThanAWindow) {
  LoopbackServer counter(CountToTheEnd);
  Connect(1, counter.port());
  ASSERT_EQ(StatusOf(1), 0);
  std::size_t left = 2'000'000;
  heard_[1].room -= 3;  // the connect header
  while (left > 0) {
    ASSERT_TRUE(ReadUntil([&] { return heard_[1].room > 0; }));
    std::size_t count = std::min<std::size_t>({left, heard_[1].room, 60'000});
    heard_[1].room -= count;
    left -= count;
    SendFrame(YamuxType::kData, 0, 1, std::string(count, 'u'));
  }
  SendFrame(YamuxType::kWindowUpdate, kYamuxFin, 1);
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].finished; }));
  EXPECT_EQ(heard_[1].data, "2000000");
}

TEST_F(TunnelTest, FindsServersOnTheOtherLoopback) {
  tcp::endpoint at(asio::ip::address_v6::loopback(), 0);
  std::unique_ptr<LoopbackServer> echo;
  try {
    echo = std::make_unique<LoopbackServer>(EchoToTheEnd, at);
  } catch (const boost::system::system_error&) {
    GTEST_SKIP() << "this machine has no IPv6";
  }
  Connect(1, echo->port());
  EXPECT_EQ(StatusOf(1), 0);
}

TEST_F(TunnelTest, TellsWhyAPortCannotBeReached) {
  Connect(1, ClosedPort());
  EXPECT_EQ(StatusOf(1), 2);
  Connect(3, 0);
  EXPECT_EQ(StatusOf(3), 1);
  SendFrame(YamuxType::kWindowUpdate, kYamuxSyn, 5);
  SendFrame(YamuxType::kData, 0, 5, ConnectHeader(80, 2));
  EXPECT_EQ(StatusOf(5), 3);
  ASSERT_TRUE(ReadUntil([&] { return heard_[1].finished && heard_[5].finished; }));
}

TEST_F(TunnelTest, EndsAStreamThatSaysNoPort) {
  SendFrame(YamuxType::kWindowUpdate, kYamuxSyn, 1);
  SendFrame(YamuxType::kData, kYamuxFin, 1, "\1");
  EXPECT_EQ(StatusOf(1), -1);
  EXPECT_TRUE(heard_[1].reset);
}

TEST_F(TunnelTest, AClientsResetClosesTheConnection) {
  std::promise<void> closed;
  LoopbackServer server([&](tcp::socket& socket) {
    char byte = 0;
    boost::system::error_code error;
    while (socket.read_some(asio::buffer(&byte, 1), error) > 0) {
    }
    closed.set_value();
  });
  Connect(1, server.port());
  ASSERT_EQ(StatusOf(1), 0);
  SendFrame(YamuxType::kWindowUpdate, kYamuxRst, 1);
  closed.get_future().get();
}

TEST_F(TunnelTest, AnswersPingsAndClosesCleanly) {
  Send(EncodeYamux({YamuxType::kPing, kYamuxSyn, 0, 4711}));
  ASSERT_TRUE(ReadUntil([&] { return !pongs_.empty(); }));
  EXPECT_EQ(pongs_[0], 4711U);
  Send(EncodeYamux({YamuxType::kGoAway, 0, 0, 0}));
  EXPECT_FALSE(ReadUntil([] { return false; }));
  EXPECT_EQ(socket_.reason().code, websocket::close_code::normal);
}

TEST_F(TunnelTest, EndsForAViolationWithAWord) {
  LoopbackServer echo(EchoToTheEnd);
  Connect(1, echo.port());
  ASSERT_EQ(StatusOf(1), 0);
  SendFrame(YamuxType::kWindowUpdate, kYamuxSyn, 2);
  EXPECT_FALSE(ReadUntil([] { return false; }));
  EXPECT_EQ(farewell_, kYamuxProtocolError);
  EXPECT_EQ(socket_.reason().code, websocket::close_code::protocol_error);
}

TEST_F(TunnelTest, EndsForTextMessages) {
  socket_.text(true);
  Send("{}");
  EXPECT_FALSE(ReadUntil([] { return false; }));
  EXPECT_EQ(farewell_, kYamuxProtocolError);
}

TEST_F(TunnelTest, ClosesConnectionsWhenTheClientVanishes) {
  std::promise<void> closed;
  LoopbackServer server([&](tcp::socket& socket) {
    char byte = 0;
    boost::system::error_code error;
    while (socket.read_some(asio::buffer(&byte, 1), error) > 0) {
    }
    closed.set_value();
  });
  Connect(1, server.port());
  ASSERT_EQ(StatusOf(1), 0);
  socket_.next_layer().close();
  closed.get_future().get();
}

TEST_F(TunnelTest, LetsTheServerStopWhileStreamsAreOpen) {
  LoopbackServer echo(EchoToTheEnd);
  Connect(1, echo.port());
  ASSERT_EQ(StatusOf(1), 0);
  server_->StopAndJoin();
}

TEST_F(TunnelTest, ServesSoManyTunnelsAndNoMore) {
  std::vector<std::unique_ptr<websocket::stream<tcp::socket>>> others;
  boost::system::error_code error;
  for (int i = 0; i < 40 && !error; ++i) {
    others.push_back(std::make_unique<websocket::stream<tcp::socket>>(io_));
    others.back()->next_layer().connect({asio::ip::address_v4::loopback(), (*server_)->port()});
    others.back()->handshake("localhost", "/dataplane/tunnel", error);
  }
  EXPECT_EQ(error, websocket::error::upgrade_declined);
  EXPECT_EQ(others.size(), 32U) << "31 beside the first, and the one refused";
}

}  // namespace
}  // namespace viv::agent
