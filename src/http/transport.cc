#include "http/transport.h"

#include <poll.h>

#include <type_traits>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/web_socket.h"

namespace viv::http {
namespace {

using Socket = asio::ip::tcp::socket;
using boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kShutdownTimeout{2'000};
constexpr std::size_t kLingerBytesMax = 64 << 20;

using Buffers = std::array<asio::const_buffer, 3>;

// `pieces` without their first `done` bytes.
Buffers Remaining(const Transport::Pieces& pieces, std::size_t done) {
  Buffers buffers;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::size_t skip = std::min(done, pieces[i].size());
    done -= skip;
    buffers[i] = asio::const_buffer(pieces[i].data() + skip, pieces[i].size() - skip);
  }
  return buffers;
}

template <typename Stream>
class StreamTransport : public Transport {
 public:
  static constexpr bool kIsTls = !std::is_same_v<Stream, Socket>;

  template <typename... Arguments>
  explicit StreamTransport(Socket socket, Arguments&... arguments)
      : stream_(std::move(socket), arguments...) {}

  bool secure() const override { return kIsTls; }

  Task<bool> Handshake() override {
    if constexpr (kIsTls) {
      auto [error] = co_await stream_.async_handshake(asio::ssl::stream_base::server, kTuple);
      co_return !error;
    }
    co_return true;
  }

  Task<std::size_t> Read(char* into, std::size_t size) override {
    auto [error, count] = co_await stream_.async_read_some(asio::buffer(into, size), kTuple);
    co_return error ? 0 : count;
  }

  std::size_t WriteNow(const Pieces& pieces) override {
    if constexpr (kIsTls) return 0;
    error_code error;
    std::size_t count = stream_.write_some(Remaining(pieces, 0), error);
    return error ? 0 : count;
  }

  Task<bool> Write(Pieces pieces, std::size_t done, Duration timeout) override {
    std::size_t total = pieces[0].size() + pieces[1].size() + pieces[2].size();
    while (done < total) {
      ExpireAfter(timeout);
      Buffers buffers = Remaining(pieces, done);
      auto [error, count] = co_await stream_.async_write_some(buffers, kTuple);
      if (error) co_return false;
      done += count;
    }
    ExpireNever();
    co_return true;
  }

  Task<void> ServeWebSocket(const Request& request,
                            const Response& response,
                            Duration write_timeout) override {
    WebSocketSetup setup{request, response, *this, write_timeout};
    co_await http::ServeWebSocket(stream_, setup);
  }

  Task<void> Shutdown(Farewell farewell) override {
    ExpireAfter(kShutdownTimeout);
    if constexpr (kIsTls) {
      if (farewell == Farewell::kBrief) {
        co_await stream_.async_shutdown(kTuple);
      }
    }
    error_code error;
    socket().shutdown(Socket::shutdown_send, error);
    if (farewell == Farewell::kLinger) {
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

  bool PeerIsGone() override {
    pollfd look{.fd = socket().native_handle(), .events = POLLRDHUP, .revents = 0};
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }

  void Cancel() override {
    error_code error;
    socket().cancel(error);
  }

  void Close() override {
    error_code error;
    socket().close(error);
  }

 private:
  Socket& socket() {
    if constexpr (kIsTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  Stream stream_;
};

}  // namespace

std::unique_ptr<Transport> MakeTransport(Socket socket, asio::ssl::context* tls) {
  error_code error;  // a failing option only costs speed
  socket.set_option(asio::ip::tcp::no_delay(true), error);
  if (tls == nullptr) {
    socket.non_blocking(true, error);  // for WriteNow
    return std::make_unique<StreamTransport<Socket>>(std::move(socket));
  }
  return std::make_unique<StreamTransport<asio::ssl::stream<Socket>>>(std::move(socket), *tls);
}

}  // namespace viv::http
