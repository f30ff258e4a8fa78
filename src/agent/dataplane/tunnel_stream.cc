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
constexpr std::size_t kCarriedBytes = 32 * 1024;

enum class DialStatus : char { kOk = 0, kPortRefused = 1, kDialFailed = 2, kVersionRefused = 3 };

// A stream and the connection it leads to, held by both directions.
struct Joint {
  Joint(asio::any_io_executor executor, std::shared_ptr<YamuxStream> of)
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
Task<std::optional<std::string>> ReadConnectHeader(std::shared_ptr<Joint> joint) {
  Notifier::Time deadline = std::chrono::steady_clock::now() + kConnectHeaderTime;
  std::string& early = joint->early;
  while (early.size() < kConnectHeaderBytes) {
    Result<std::string> bytes = co_await joint->stream->Read(deadline);
    if (!bytes || bytes->empty()) co_return std::nullopt;
    early += *bytes;
  }
  std::string header = early.substr(0, kConnectHeaderBytes);
  early.erase(0, kConnectHeaderBytes);
  joint->stream->Consumed(kConnectHeaderBytes);
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

Task<bool> DialTunnelPort(std::shared_ptr<Joint> joint, tcp::endpoint to) {
  joint->Close();
  if (!OpenDialSocket(joint->socket, to)) co_return false;
  asio::steady_timer limit(joint->socket.get_executor(), kTunnelDialTime);
  limit.async_wait([joint](error_code cancelled) {
    if (!cancelled && !joint->connected) joint->Close();
  });
  auto [error] = co_await joint->socket.async_connect(to, http::kTuple);
  joint->connected = !error && !joint->stream->reset();
  if (!joint->connected) co_return false;
  error_code ignored;
  joint->socket.set_option(tcp::no_delay(true), ignored);
  co_return true;
}

Task<DialStatus> DialAsAsked(std::shared_ptr<Joint> joint, std::string header) {
  if (header[0] != kTunnelVersion) co_return DialStatus::kVersionRefused;
  auto high = static_cast<unsigned char>(header[1]);
  auto low = static_cast<unsigned char>(header[2]);
  auto port = static_cast<std::uint16_t>(high << 8 | low);
  if (port == 0) co_return DialStatus::kPortRefused;
  tcp::endpoint first(asio::ip::address_v4::loopback(), port);
  bool dialled = co_await DialTunnelPort(joint, first);
  if (!dialled && !joint->stream->reset()) {
    tcp::endpoint second(asio::ip::address_v6::loopback(), port);
    dialled = co_await DialTunnelPort(joint, second);
  }
  co_return dialled ? DialStatus::kOk : DialStatus::kDialFailed;
}

// From the client into the box.
Task<void> CarryIn(std::shared_ptr<Joint> joint) {
  std::string bytes = std::exchange(joint->early, {});
  for (;;) {
    if (!bytes.empty()) {
      auto [error, count] =
          co_await asio::async_write(joint->socket, asio::buffer(bytes), http::kTuple);
      if (error) {
        joint->in_failed = true;
        if (joint->out_over) joint->stream->Reset();
        co_return;
      }
      joint->stream->Consumed(bytes.size());
    }
    Result<std::string> next = co_await joint->stream->Read();
    if (!next) co_return;  // reset, which has closed the socket
    if (next->empty()) break;
    bytes = *std::move(next);
  }
  error_code ignored;
  joint->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

// From the box to the client.
Task<void> CarryOut(std::shared_ptr<Joint> joint) {
  std::string buffer(kCarriedBytes, '\0');
  for (;;) {
    auto [error, count] =
        co_await joint->socket.async_read_some(asio::buffer(buffer), http::kTuple);
    if (error && error != asio::error::eof) {
      joint->stream->Reset();
      co_return;
    }
    if (count == 0) break;
    std::string bytes = buffer.substr(0, count);
    Status written = co_await joint->stream->Write(std::move(bytes));
    if (!written) {
      joint->Close();
      co_return;
    }
  }
  joint->out_over = true;
  joint->stream->Finish();
  if (joint->in_failed) joint->stream->Forget();
}

}  // namespace

Task<void> ServeTunnelStream(std::shared_ptr<YamuxStream> stream, SpawnTask spawn) {
  auto executor = co_await asio::this_coro::executor;
  auto joint = std::make_shared<Joint>(executor, stream);
  std::weak_ptr<Joint> weak = joint;
  stream->OnReset([weak] {
    if (auto held = weak.lock()) held->Close();
  });
  std::optional<std::string> header = co_await ReadConnectHeader(joint);
  if (!header) {
    stream->Reset();
    co_return;
  }
  DialStatus status = co_await DialAsAsked(joint, *std::move(header));
  std::string answer(1, static_cast<char>(status));
  Status told = co_await stream->Write(std::move(answer));
  if (!told || status != DialStatus::kOk) {
    stream->Finish();
    stream->Forget();
    co_return;
  }
  spawn(CarryIn(joint));
  co_await CarryOut(joint);
}

}  // namespace viv::agent
