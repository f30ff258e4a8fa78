#include "agent/dataplane/tunnel_stream.h"

#include <sys/socket.h>

#include <optional>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include "http/await_tuple.h"

namespace viv::agent {
namespace {

using asio::ip::tcp;
using boost::system::error_code;

constexpr char kTunnelVersion = 1;
constexpr std::size_t kConnectHeaderBytes = 3;
constexpr std::chrono::seconds kConnectHeaderTime{10};
constexpr std::chrono::seconds kTunnelDialTime{5};  // a server that does not accept
constexpr std::size_t kTunnelBufferBytes = 32 * 1024;

enum class DialStatus : char { kOk = 0, kPortRefused = 1, kDialFailed = 2, kVersionRefused = 3 };

// A stream and the connection it leads to, held by both directions.
struct TunnelConnection {
  TunnelConnection(asio::any_io_executor executor, std::shared_ptr<YamuxStream> of)
      : socket(std::move(executor)), stream(std::move(of)) {}

  void Close() {
    error_code ignored;
    socket.close(ignored);
  }

  tcp::socket socket;
  const std::shared_ptr<YamuxStream> stream;
  std::string early;  // came with the header, before there was a connection
  bool connected = false;
  bool in_failed = false;  // the server takes no more, but may have more to say
  bool out_over = false;
};

// The first bytes; nothing when the client does not send them.
Task<std::optional<std::string>> ReadConnectHeader(std::shared_ptr<TunnelConnection> connection) {
  Notifier::Time deadline = std::chrono::steady_clock::now() + kConnectHeaderTime;
  std::string& early = connection->early;
  while (early.size() < kConnectHeaderBytes) {
    Result<std::string> bytes = co_await connection->stream->Read(deadline);
    if (!bytes || bytes->empty()) co_return std::nullopt;
    early += *bytes;
  }
  std::string header = early.substr(0, kConnectHeaderBytes);
  early.erase(0, kConnectHeaderBytes);
  connection->stream->Consumed(kConnectHeaderBytes);
  co_return header;
}

// A descriptor of our own, since Asio's would be inherited by the box's processes.
bool OpenDialSocket(tcp::socket& socket, const tcp::endpoint& to) {
  int fd = ::socket(to.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  error_code error;
  socket.assign(to.protocol(), fd, error);
  if (error) ::close(fd);
  return !error;
}

Task<bool> DialTunnelPort(std::shared_ptr<TunnelConnection> connection, tcp::endpoint to) {
  connection->Close();
  if (!OpenDialSocket(connection->socket, to)) co_return false;
  asio::steady_timer limit(connection->socket.get_executor(), kTunnelDialTime);
  limit.async_wait([connection](error_code cancelled) {
    if (!cancelled && !connection->connected) connection->Close();
  });
  auto [error] = co_await connection->socket.async_connect(to, http::kTuple);
  connection->connected = !error && !connection->stream->reset();
  if (!connection->connected) co_return false;
  error_code ignored;
  connection->socket.set_option(tcp::no_delay(true), ignored);
  co_return true;
}

Task<DialStatus> DialRequestedPort(std::shared_ptr<TunnelConnection> connection,
                                   std::string header) {
  if (header[0] != kTunnelVersion) co_return DialStatus::kVersionRefused;
  auto high = static_cast<unsigned char>(header[1]);
  auto low = static_cast<unsigned char>(header[2]);
  auto port = static_cast<std::uint16_t>(high << 8 | low);
  if (port == 0) co_return DialStatus::kPortRefused;
  tcp::endpoint first(asio::ip::address_v4::loopback(), port);
  bool dialled = co_await DialTunnelPort(connection, first);
  if (!dialled && !connection->stream->reset()) {
    tcp::endpoint second(asio::ip::address_v6::loopback(), port);
    dialled = co_await DialTunnelPort(connection, second);
  }
  co_return dialled ? DialStatus::kOk : DialStatus::kDialFailed;
}

// From the client into the box.
Task<void> CopyToPort(std::shared_ptr<TunnelConnection> connection) {
  std::string bytes = std::exchange(connection->early, {});
  for (;;) {
    if (!bytes.empty()) {
      auto [error, count] =
          co_await asio::async_write(connection->socket, asio::buffer(bytes), http::kTuple);
      if (error) {
        connection->in_failed = true;
        if (connection->out_over) connection->stream->Reset();
        co_return;
      }
      connection->stream->Consumed(bytes.size());
    }
    Result<std::string> next = co_await connection->stream->Read();
    if (!next) co_return;  // reset, which has closed the socket
    if (next->empty()) break;
    bytes = *std::move(next);
  }
  error_code ignored;
  connection->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

// From the box to the client.
Task<void> CopyToClient(std::shared_ptr<TunnelConnection> connection) {
  std::string buffer(kTunnelBufferBytes, '\0');
  for (;;) {
    auto [error, count] =
        co_await connection->socket.async_read_some(asio::buffer(buffer), http::kTuple);
    if (error && error != asio::error::eof) {
      connection->stream->Reset();
      co_return;
    }
    if (count == 0) break;
    std::string bytes = buffer.substr(0, count);
    Status written = co_await connection->stream->Write(std::move(bytes));
    if (!written) {
      connection->Close();
      co_return;
    }
  }
  connection->out_over = true;
  connection->stream->Finish();
  if (connection->in_failed) connection->stream->Forget();
}

}  // namespace

Task<void> ServeTunnelStream(std::shared_ptr<YamuxStream> stream, SpawnTask spawn) {
  auto executor = co_await asio::this_coro::executor;
  auto connection = std::make_shared<TunnelConnection>(executor, stream);
  std::weak_ptr<TunnelConnection> weak = connection;
  stream->OnReset([weak] {
    if (auto held = weak.lock()) held->Close();
  });
  std::optional<std::string> header = co_await ReadConnectHeader(connection);
  if (!header) {
    stream->Reset();
    co_return;
  }
  DialStatus status = co_await DialRequestedPort(connection, *std::move(header));
  std::string answer(1, static_cast<char>(status));
  Status told = co_await stream->Write(std::move(answer));
  if (!told || status != DialStatus::kOk) {
    stream->Finish();
    stream->Forget();
    co_return;
  }
  spawn(CopyToPort(connection));
  co_await CopyToClient(connection);
}

}  // namespace viv::agent
