#include "gateway/tls/handshake.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include "gateway/tls/alpn.h"
#include "http/stream_transport.h"

namespace viv::gateway {
namespace {

using boost::system::error_code;
using GatewayTlsStream = asio::ssl::stream<http::StreamSocket>;

constexpr std::chrono::milliseconds kCloseNotifyTime{500};

// Closes a socket after a time, unless this is destroyed before. It closes instead of cancelling,
// so that later operations fail as well.
class TimeLimit {
 public:
  TimeLimit(http::StreamSocket& socket, std::chrono::milliseconds time)
      : timer_(socket.get_executor(), time), state_(std::make_shared<State>()) {
    state_->socket = &socket;
    timer_.async_wait([state = state_](error_code error) {
      if (error || state->socket == nullptr) return;
      error_code ignored;
      state->socket->close(ignored);
      state->over = true;
    });
  }
  ~TimeLimit() { state_->socket = nullptr; }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  bool over() const { return state_->over; }

 private:
  // Shared with the timer's handler, which may run after the destructor.
  struct State {
    http::StreamSocket* socket = nullptr;
    bool over = false;
  };
  asio::steady_timer timer_;
  std::shared_ptr<State> state_;
};

class GatewayTlsTransport final : public http::StreamTransport<GatewayTlsStream> {
 public:
  GatewayTlsTransport(http::StreamSocket socket, SSL* ssl)  // takes ownership of `ssl`
      : StreamTransport(std::move(socket), ssl) {}

  bool secure() const override { return true; }
  Task<bool> Handshake() override { co_return true; }  // it was done before

  // Nothing: what OpenSSL has taken cannot be given back when the kernel takes only half of it.
  std::size_t TryWrite(const Pieces&) override { return 0; }

  // An incomplete record may contain anything.
  bool HasUnread() override { return StreamTransport::HasUnread() || SSL_has_pending(ssl()) == 1; }

  // Sends close_notify for our direction; the peer's is still to come. OpenSSL would wait for it,
  // and a read may be running, so it is told that there is nothing to wait for.
  void CloseWrite() override {
    const int before = SSL_get_shutdown(ssl());
    error_code ignored;
    SSL_set_shutdown(ssl(), before | SSL_RECEIVED_SHUTDOWN);
    stream_.shutdown(ignored);
    SSL_set_shutdown(ssl(), before | SSL_SENT_SHUTDOWN);
    StreamTransport::CloseWrite();
  }

  http::StreamSocket& lowest() { return socket(); }
  SSL* ssl() { return stream_.native_handle(); }

  Task<error_code> RunHandshake(TlsSide side, std::string already_read) {
    const auto role =
        side == TlsSide::kServer ? asio::ssl::stream_base::server : asio::ssl::stream_base::client;
    const asio::const_buffer before(already_read.data(), already_read.size());
    auto [error, used] = co_await stream_.async_handshake(role, before, http::kTuple);
    // The guest cannot send application data before the handshake ends, so leftover bytes are not
    // TLS.
    if (!error && used != already_read.size())
      error = error_code(asio::error::invalid_argument, boost::system::system_category());
    co_return error;
  }

 private:
  // Says that nothing more comes, and does not wait to hear the same: the peer may never say it.
  Task<void> SendCloseNotify() override {
    SSL_set_shutdown(ssl(), SSL_get_shutdown(ssl()) | SSL_RECEIVED_SHUTDOWN);
    const TimeLimit limit(socket(), kCloseNotifyTime);
    co_await stream_.async_shutdown(http::kTuple);
  }

  bool IsTruncated(const error_code& error) const override {
    return error == asio::ssl::error::stream_truncated;
  }
};

HandshakeFailure Describe(error_code error, SSL* ssl, bool timed_out) {
  using Kind = HandshakeFailure::Kind;
  HandshakeFailure failure;
  failure.verify_result = SSL_get_verify_result(ssl);
  if (timed_out) {
    failure.kind = Kind::kTimeout;
    failure.text = "it took longer than 10 seconds";
  } else if (error.category() == asio::error::get_ssl_category()) {
    const auto code = static_cast<unsigned long>(error.value());
    failure.reason = ERR_GET_REASON(code);
    const char* text = ERR_reason_error_string(code);
    failure.text = text == nullptr ? error.message() : text;
    // OpenSSL adds the alert's number to this offset.
    if (failure.reason >= SSL_AD_REASON_OFFSET) failure.kind = Kind::kAlertReceived;
  } else if (error == asio::error::invalid_argument) {
    failure.text = "there was more than a handshake";
  } else {
    failure.kind = Kind::kClosed;
    failure.text = "the connection was closed";
  }
  return failure;
}

}  // namespace

Task<tl::expected<TlsConnection, HandshakeFailure>> RunTlsHandshake(
    http::StreamSocket socket,
    SslPtr ssl,
    TlsSide side,
    std::string already_read,
    std::chrono::milliseconds time_max) {
  http::PrepareSocket(socket);
  auto transport = std::make_unique<GatewayTlsTransport>(std::move(socket), ssl.release());
  const TimeLimit limit(transport->lowest(), time_max);
  const error_code error = co_await transport->RunHandshake(side, std::move(already_read));
  if (error) {
    transport->Close();
    co_return tl::unexpected(Describe(error, transport->ssl(), limit.over()));
  }
  TlsConnection secured;
  secured.http2 = NegotiatedHttp2(transport->ssl());
  secured.transport = std::move(transport);
  co_return secured;
}

}  // namespace viv::gateway
