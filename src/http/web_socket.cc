#include "http/web_socket.h"

#include <algorithm>
#include <exception>
#include <memory>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "base/log.h"
#include "http/await_tuple.h"
#include "http/operation_counter.h"
#include "http/response_writer.h"

namespace viv::http {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr std::size_t kSocketMessageBytesMax = 16 << 20;
constexpr std::size_t kSocketReasonBytesMax = 123;  // what a close frame can carry beside its code
constexpr std::chrono::seconds kSocketHandshakeTimeout{30};
constexpr std::chrono::seconds kSocketCloseTimeout{2};

using Handshake = beast::http::request<beast::http::empty_body>;

// A transport as Beast wants to see a stream. Each operation is a coroutine of the transport's, so
// that Beast is compiled once for all kinds of them. Beast may leave one behind (a ping under way),
// which must end before the transport does: hence the count.
class TransportStream {
 public:
  using executor_type = asio::any_io_executor;

  TransportStream(Transport& transport,
                  Transport::Duration write_timeout,
                  OperationCounter& operations)
      : transport_(&transport), write_timeout_(write_timeout), operations_(&operations) {}

  executor_type get_executor() { return transport_->executor(); }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    asio::mutable_buffer into;
    for (auto part = asio::buffer_sequence_begin(buffers);
         into.size() == 0 && part != asio::buffer_sequence_end(buffers); ++part) {
      into = *part;
    }
    auto start = [this, into](auto handler) {
      Spawn(transport_->Read(static_cast<char*>(into.data()), into.size()), std::move(handler));
    };
    return asio::async_initiate<Token, void(beast::error_code, std::size_t)>(start, token);
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    Transport::Pieces pieces;
    auto part = asio::buffer_sequence_begin(buffers);
    for (std::string_view& piece : pieces) {
      if (part == asio::buffer_sequence_end(buffers)) break;
      asio::const_buffer buffer = *part++;
      piece = {static_cast<const char*>(buffer.data()), buffer.size()};
    }
    auto start = [this, pieces](auto handler) {
      Spawn(WriteAll(*transport_, pieces, write_timeout_), std::move(handler));
    };
    return asio::async_initiate<Token, void(beast::error_code, std::size_t)>(start, token);
  }

  template <typename Handler>
  friend void async_teardown(beast::role_type, TransportStream& stream, Handler&& handler) {
    auto entry = std::make_unique<OperationCounter::Entry>(*stream.operations_);
    auto done = [handler = std::forward<Handler>(handler),
                 entry = std::move(entry)](std::exception_ptr) mutable {
      entry.reset();
      std::move(handler)(beast::error_code());
    };
    Transport& transport = *stream.transport_;
    auto linger = transport.secure() ? Transport::Linger::kNo : Transport::Linger::kYes;
    asio::co_spawn(stream.get_executor(), transport.Shutdown(linger), std::move(done));
  }

  friend void beast_close_socket(TransportStream& stream) { stream.transport_->Close(); }

 private:
  static Task<std::size_t> WriteAll(Transport& transport,
                                    Transport::Pieces pieces,
                                    Transport::Duration timeout) {
    std::size_t total = pieces[0].size() + pieces[1].size() + pieces[2].size();
    std::size_t done = transport.TryWrite(pieces);
    if (done == total) co_return total;
    bool written = co_await transport.Write(pieces, done, timeout);
    co_return written ? total : 0;
  }

  template <typename Handler>
  void Spawn(Task<std::size_t> operation, Handler handler) {
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto entry = std::make_unique<OperationCounter::Entry>(*operations_);
    auto done = [handler = std::move(handler), entry = std::move(entry)](
                    std::exception_ptr, std::size_t count) mutable {
      entry.reset();
      beast::error_code error;
      if (count == 0) error = asio::error::eof;
      std::move(handler)(error, count);
    };
    asio::co_spawn(get_executor(), std::move(operation),
                   asio::bind_cancellation_slot(slot, std::move(done)));
  }

  Transport* transport_;
  Transport::Duration write_timeout_;
  OperationCounter* operations_;
};

class BeastWebSocket : public WebSocket {
 public:
  BeastWebSocket(WebSocketSetup setup, OperationCounter& operations)
      : transport_(setup.transport), stream_(setup.transport, setup.write_timeout, operations) {
    stream_.set_option(
        websocket::stream_base::timeout{kSocketHandshakeTimeout, setup.idle_timeout, true});
    stream_.read_message_max(kSocketMessageBytesMax);
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
    auto [error, count] = co_await stream_.async_write(asio::buffer(message.data), kTuple);
    if (error) co_return Fail(ErrorCode::kUnavailable, "WebSocket write: " + error.message());
    co_return Status();
  }

  Task<void> Close(int code, std::string reason) override {
    if (!stream_.is_open()) co_return;
    websocket::close_reason closing;
    closing.code = static_cast<std::uint16_t>(code);
    closing.reason.assign(reason.data(), std::min(reason.size(), kSocketReasonBytesMax));
    transport_.ExpireReadAfter(kSocketCloseTimeout);
    co_await stream_.async_close(closing, kTuple);
  }

 private:
  Transport& transport_;
  websocket::stream<TransportStream> stream_;
  beast::flat_buffer buffer_{kSocketMessageBytesMax};
};

Handshake ToHandshake(const Request& request) {
  Handshake handshake(beast::http::verb::get, request.target, 11);
  for (const auto& [name, value] : request.headers) handshake.insert(name, value);
  return handshake;
}

// Runs the handler; whether it was cancelled or failed, the code to close with.
Task<int> RunSocketHandler(const Response& response, WebSocket& socket) {
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

Task<void> RunWebSocket(WebSocketSetup setup, OperationCounter& operations) {
  Handshake handshake = ToHandshake(setup.request);
  BeastWebSocket socket(setup, operations);
  bool accepted = co_await socket.Accept(handshake);
  if (!accepted) co_return;
  int code = co_await RunSocketHandler(setup.response, socket);
  // A cancelled coroutine cannot wait, not even for the closing handshake, unless its state is
  // reset.
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  std::string reason;
  co_await socket.Close(code, std::move(reason));
}

}  // namespace

Task<void> ServeWebSocket(WebSocketSetup setup) {
  setup.transport.ExpireReadNever();
  OperationCounter operations(setup.transport.executor());
  std::exception_ptr failure;
  try {
    co_await RunWebSocket(setup, operations);
  } catch (...) {
    failure = std::current_exception();
  }
  if (!operations.idle()) {
    co_await asio::this_coro::throw_if_cancelled(false);
    setup.transport.Close();
    co_await operations.WaitUntilIdle();
    co_await asio::this_coro::throw_if_cancelled(true);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace viv::http
