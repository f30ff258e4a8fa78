#include "network/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <string>
#include <tuple>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/errno_error.h"

namespace viv::network {
namespace {

constexpr auto kAwaitTuple = asio::as_tuple(asio::use_awaitable);

bool IsNotReady(int number) {
  return number == EAGAIN || number == EWOULDBLOCK || number == EINTR;
}

// A nearby host accepts within connect() itself; then there is nothing to wait for.
bool IsConnected(int fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

tl::unexpected<Error> DialError(const Endpoint& endpoint, int number) {
  return FailErrno(
      ErrorCode::kUnavailable,
      "connect to " + endpoint.address.Text() + " port " + std::to_string(endpoint.port), number);
}

}  // namespace

Stream AdoptStream(asio::io_context& context, UniqueFd fd) {
  Stream stream(context);
  boost::system::error_code error;
  stream.assign(fd.get(), error);
  if (!error) fd.release();
  return stream;
}

Task<bool> WaitReadable(Stream& stream) {
  if (!stream.is_open()) co_return false;
  auto [error] = co_await stream.async_wait(Stream::wait_read, kAwaitTuple);
  co_return !error && stream.is_open();
}

Task<bool> WaitWritable(Stream& stream) {
  if (!stream.is_open()) co_return false;
  auto [error] = co_await stream.async_wait(Stream::wait_write, kAwaitTuple);
  co_return !error && stream.is_open();
}

Task<WaitResult> WaitReadableFor(Stream& stream, std::chrono::milliseconds at_most) {
  if (!stream.is_open()) co_return WaitResult::kClosed;
  auto waiting = std::make_shared<Stream*>(&stream);
  asio::steady_timer timer(stream.get_executor(), at_most);
  timer.async_wait([waiting](const boost::system::error_code& error) {
    boost::system::error_code ignored;
    if (!error && *waiting != nullptr) (*waiting)->cancel(ignored);
  });
  auto [error] = co_await stream.async_wait(Stream::wait_read, kAwaitTuple);
  *waiting = nullptr;
  if (!stream.is_open()) co_return WaitResult::kClosed;
  co_return error ? WaitResult::kTimeout : WaitResult::kReady;
}

Deadline::Deadline(Stream& stream, std::chrono::milliseconds after)
    : stream_(std::make_shared<Stream*>(&stream)), timer_(stream.get_executor(), after) {
  timer_.async_wait([shared = stream_](const boost::system::error_code& error) {
    boost::system::error_code ignored;
    if (!error && *shared != nullptr) (*shared)->close(ignored);
  });
}

Task<Result<Stream>> DialOut(asio::io_context& context,
                             Endpoint endpoint,
                             std::chrono::milliseconds timeout) {
  SocketAddress to = ToSocketAddress(endpoint);
  UniqueFd fd(socket(to.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) co_return DialError(endpoint, errno);
  int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  int failure = connect(fd.get(), to.get(), to.size) == 0 ? 0 : errno;
  if (failure == EINPROGRESS && IsConnected(fd.get())) failure = 0;
  if (failure != 0 && failure != EINPROGRESS) co_return DialError(endpoint, failure);
  Stream stream = AdoptStream(context, std::move(fd));
  if (!stream.is_open()) co_return DialError(endpoint, ENOMEM);
  if (failure == EINPROGRESS) {
    Deadline deadline(stream, timeout);
    if (!co_await WaitWritable(stream)) co_return DialError(endpoint, ETIMEDOUT);
    socklen_t size = sizeof failure;
    if (getsockopt(stream.native_handle(), SOL_SOCKET, SO_ERROR, &failure, &size) != 0)
      failure = errno;
  }
  if (failure != 0) co_return DialError(endpoint, failure);
  co_return std::move(stream);
}

Result<UniqueFd> OpenUdpTo(const Endpoint& endpoint) {
  SocketAddress to = ToSocketAddress(endpoint);
  UniqueFd fd(socket(to.get()->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd || connect(fd.get(), to.get(), to.size) != 0) return DialError(endpoint, errno);
  return fd;
}

bool IsAddressOfThisMachine(const Address& address) {
  // For a local destination the kernel chooses the same address as the source.
  auto probe = OpenUdpTo({address, 9});
  SocketAddress here;
  if (!probe || getsockname(probe->get(), here.get(), &here.size) != 0) return false;
  auto source = FromSocketAddress(here);
  return source && source->address == address;
}

bool IsRoutable(const Address& address) {
  return OpenUdpTo({address, 9}).has_value();
}

Task<bool> WriteFully(Stream& stream, std::string bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (!stream.is_open()) co_return false;
    ssize_t put = send(stream.native_handle(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (put > 0) {
      at += static_cast<std::size_t>(put);
    } else if (!IsNotReady(errno) || !co_await WaitWritable(stream)) {
      co_return false;
    }
  }
  co_return true;
}

Task<std::string> ReadFully(Stream& stream, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t at = 0;
  while (at < count && stream.is_open()) {
    ssize_t got = recv(stream.native_handle(), bytes.data() + at, count - at, 0);
    if (got == 0) break;
    if (got > 0) {
      at += static_cast<std::size_t>(got);
    } else if (!IsNotReady(errno) || !co_await WaitReadable(stream)) {
      break;
    }
  }
  bytes.resize(at);
  co_return bytes;
}

void CloseWithReset(Stream& stream) {
  if (!stream.is_open()) return;
  linger now{1, 0};
  setsockopt(stream.native_handle(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  boost::system::error_code ignored;
  stream.close(ignored);
}

}  // namespace viv::network
