#include "http/web_socket.h"

#include <algorithm>
#include <exception>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/log.h"
#include "http/response_head.h"

namespace viv::http {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kMessageBytesMax = 16 << 20;
constexpr std::size_t kReasonBytesMax = 123;  // what a close frame can carry beside its code
constexpr std::chrono::seconds kHandshakeTimeout{30};
constexpr std::chrono::seconds kIdleTimeout{120};  // a ping goes out after half of it
constexpr std::chrono::seconds kCloseTimeout{2};

using Handshake = beast::http::request<beast::http::empty_body>;

template <typename Stream>
class BeastWebSocket : public WebSocket {
 public:
  BeastWebSocket(Stream& stream, WebSocketSetup setup) : setup_(setup), stream_(stream) {
    stream_.set_option(websocket::stream_base::timeout{kHandshakeTimeout, kIdleTimeout, true});
    stream_.read_message_max(kMessageBytesMax);
    auto add_headers = [&response = setup.response](websocket::response_type& answer) {
      answer.set(beast::http::field::server, "vivarium");
      for (const auto& [name, value] : response.headers) {
        if (IsSafeHeader(name, value)) answer.insert(name, value);
      }
    };
    stream_.set_option(websocket::stream_base::decorator(add_headers));
  }

  Task<bool> Accept(const Handshake& handshake) {
    auto [error] = co_await stream_.async_accept(handshake, kTuple);
    co_return !error;
  }

  Task<Result<Message>> Read() override {
    auto [error, count] = co_await stream_.async_read(buffer_, kTuple);
    if (error == websocket::error::message_too_big) {
      co_return Fail(ErrorCode::kLimitExceeded, "WebSocket message too big");
    }
    if (error) co_return Fail(ErrorCode::kUnavailable, "WebSocket closed: " + error.message());
    Message message;
    message.text = stream_.got_text();
    message.data = beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    co_return message;
  }

  Task<Status> Write(Message message) override {
    stream_.text(message.text);
    setup_.deadline.ExpireAfter(setup_.write_timeout);
    auto [error, count] = co_await stream_.async_write(asio::buffer(message.data), kTuple);
    setup_.deadline.ExpireNever();
    if (error) co_return Fail(ErrorCode::kUnavailable, "WebSocket write: " + error.message());
    co_return Status();
  }

  Task<void> Close(int code, std::string reason) override {
    if (!stream_.is_open()) co_return;
    websocket::close_reason farewell;
    farewell.code = static_cast<std::uint16_t>(code);
    farewell.reason.assign(reason.data(), std::min(reason.size(), kReasonBytesMax));
    setup_.deadline.ExpireAfter(kCloseTimeout);
    co_await stream_.async_close(farewell, kTuple);
    setup_.deadline.ExpireNever();
  }

 private:
  WebSocketSetup setup_;
  websocket::stream<Stream&> stream_;
  beast::flat_buffer buffer_{kMessageBytesMax};
};

Handshake ToBeast(const Request& request) {
  Handshake handshake(beast::http::verb::get, request.target, 11);
  for (const auto& [name, value] : request.headers) handshake.insert(name, value);
  return handshake;
}

// Runs the handler; whether it was cancelled or failed, the code to close with.
Task<int> RunHandler(const Response& response, WebSocket& socket) {
  try {
    co_await response.web_socket(socket);
    co_return websocket::close_code::normal;
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted) co_return websocket::close_code::going_away;
    log::Error("http.web_socket_failed", {{"error", error.what()}});
  } catch (const std::exception& error) {
    log::Error("http.web_socket_failed", {{"error", error.what()}});
  }
  co_return websocket::close_code::internal_error;
}

template <typename Stream>
Task<void> Serve(Stream& stream, WebSocketSetup setup) {
  Handshake handshake = ToBeast(setup.request);
  BeastWebSocket<Stream> socket(stream, setup);
  bool accepted = co_await socket.Accept(handshake);
  if (!accepted) co_return;
  int code = co_await RunHandler(setup.response, socket);
  // A cancelled coroutine may not wait for anything, not even to say goodbye.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  std::string reason;
  co_await socket.Close(code, std::move(reason));
}

}  // namespace

Task<void> ServeWebSocket(asio::ip::tcp::socket& stream, WebSocketSetup setup) {
  co_await Serve(stream, setup);
}

Task<void> ServeWebSocket(asio::ssl::stream<asio::ip::tcp::socket>& stream, WebSocketSetup setup) {
  co_await Serve(stream, setup);
}

}  // namespace viv::http
