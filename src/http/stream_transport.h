#pragma once
// What plain and TLS transports have in common: all of it over an Asio stream whose lowest layer is
// a socket. Internal to this module.

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include "http/await_tuple.h"
#include "http/transport.h"

namespace viv::http {

template <typename Stream>
class StreamTransport : public Transport {
 public:
  template <typename... Arguments>
  explicit StreamTransport(StreamSocket socket, Arguments&... arguments)
      : stream_(std::move(socket), arguments...) {}

  asio::any_io_executor executor() override { return stream_.get_executor(); }

  Task<std::size_t> Read(char* into, std::size_t size) override {
    auto [error, count] = co_await stream_.async_read_some(asio::buffer(into, size), kTuple);
    if (!error) co_return count;
    if (error != asio::error::eof) set_read_failed();
    if (IsTruncated(error)) set_read_truncated();
    co_return 0;
  }

  Task<bool> Write(Pieces pieces, std::size_t done, Duration timeout) override {
    std::size_t total = pieces[0].size() + pieces[1].size() + pieces[2].size();
    while (done < total) {
      ExpireWriteAfter(timeout);
      Buffers buffers = Remaining(pieces, done);
      auto [error, count] = co_await stream_.async_write_some(buffers, kTuple);
      ExpireWriteNever();
      if (error) co_return false;
      done += count;
    }
    co_return true;
  }

  Task<void> Shutdown(Linger linger) override {
    constexpr Duration kTime{2'000};
    constexpr std::size_t kLingerBytesMax = 64 << 20;
    ExpireReadAfter(kTime);
    if (linger == Linger::kNo) co_await SendCloseNotify();
    boost::system::error_code error;
    socket().shutdown(StreamSocket::shutdown_send, error);
    if (linger == Linger::kYes) {
      char ignored[4096];
      for (std::size_t total = 0; total < kLingerBytesMax;) {
        auto [failed, count] =
            co_await socket().async_read_some(asio::buffer(ignored, sizeof ignored), kTuple);
        if (failed) break;
        total += count;
      }
    }
    socket().close(error);
  }

  bool PeerHungUp(HangUp how) override {
    short events = how == HangUp::kWriteHalf ? POLLRDHUP : 0;
    pollfd look{.fd = socket().native_handle(), .events = events, .revents = 0};
    return poll(&look, 1, 0) > 0 && (look.revents & (events | POLLHUP | POLLERR)) != 0;
  }

  // TLS has records that are none of the stream's bytes, which its own reading skips.
  bool HasUnread() override {
    boost::system::error_code error;
    char ignored[1];
    stream_.read_some(asio::buffer(ignored), error);
    return error != asio::error::would_block;
  }

  void Cancel() override {
    boost::system::error_code error;
    socket().cancel(error);
  }

  void CloseWrite() override {
    boost::system::error_code error;
    socket().shutdown(StreamSocket::shutdown_send, error);
  }

  void Close() override {
    boost::system::error_code error;
    socket().close(error);
  }

  void Reset() override {
    boost::system::error_code error;
    linger now{.l_onoff = 1, .l_linger = 0};  // a unix socket knows no reset and ignores it
    if (socket().is_open()) {
      ::setsockopt(socket().native_handle(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    socket().close(error);
  }

 protected:
  using Buffers = std::array<asio::const_buffer, 3>;

  // `pieces` without their first `done` bytes.
  static Buffers Remaining(const Pieces& pieces, std::size_t done) {
    Buffers buffers;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      std::size_t skip = std::min(done, pieces[i].size());
      done -= skip;
      buffers[i] = asio::const_buffer(pieces[i].data() + skip, pieces[i].size() - skip);
    }
    return buffers;
  }

  virtual Task<void> SendCloseNotify() { co_return; }
  // Whether the error means that TLS ended without close_notify.
  virtual bool IsTruncated(const boost::system::error_code&) const { return false; }

  StreamSocket& socket() {
    if constexpr (std::is_same_v<Stream, StreamSocket>) {
      return stream_;
    } else {
      return stream_.next_layer();
    }
  }

  Stream stream_;
};

}  // namespace viv::http
