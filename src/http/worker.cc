#include "http/worker.h"

#include <algorithm>
#include <exception>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "http/await_tuple.h"

namespace viv::http {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

constexpr milliseconds kTickMin{5};
constexpr milliseconds kTickMax{250};
constexpr milliseconds kIdleTick{3'600'000};
constexpr milliseconds kDrainTick{10};
constexpr milliseconds kStreamGrace{1'000};
constexpr milliseconds kDeadStreamCheck{1'000};
constexpr milliseconds kAcceptPause{100};  // after running out of descriptors

// A deadline is kept to a quarter of the shortest one.
milliseconds TickFor(const ServerOptions& options) {
  milliseconds shortest = std::min(
      {options.header_timeout, options.body_timeout, options.idle_timeout, options.write_timeout});
  return std::clamp(shortest / 4, kTickMin, kTickMax);
}

}  // namespace

Worker::Worker(const ServerContext& context, std::atomic<std::size_t>& connections)
    : context_(context),
      connection_count_(connections),
      tick_(TickFor(context.options)),
      date_(HttpDate(NowMs() / 1000)) {}

void Worker::Add(StreamAcceptor acceptor, TlsIdentity* tls) {
  listeners_.push_back(std::make_unique<Listener>(Listener{std::move(acceptor), tls}));
}

void Worker::Run() {
  for (auto& listener : listeners_) asio::co_spawn(io_, Accept(*listener), asio::detached);
  asio::co_spawn(io_, Tick(), asio::detached);
  for (;;) {
    try {
      io_.run();
      return;
    } catch (const std::exception& error) {
      log::Error("http.worker_threw", {{"error", error.what()}});
    }
  }
}

void Worker::Stop() {
  asio::post(io_, [this] { BeginDrain(); });
}

Task<void> Worker::Accept(Listener& listener) {
  asio::steady_timer pause(io_);
  StreamEndpoint peer;
  while (listener.acceptor.is_open()) {
    auto [error, socket] = co_await listener.acceptor.async_accept(peer, kTuple);
    if (draining_) break;
    if (!error) {
      StartConnection(std::move(socket), peer, listener.tls);
      continue;
    }
    log::Warn("http.accept_failed", {{"error", error.message()}});
    pause.expires_after(kAcceptPause);
    co_await pause.async_wait(kTuple);
  }
}

void Worker::StartConnection(StreamSocket socket, const StreamEndpoint& peer, TlsIdentity* tls) {
  if (connection_count_.fetch_add(1) >= context_.options.connections_max) {
    connection_count_.fetch_sub(1);
    RefuseConnection(std::move(socket), tls);
    return;
  }
  if (connections_.empty()) {  // the tick sleeps while there are none
    date_ = HttpDate(NowMs() / 1000);
    timer_.cancel();
  }
  auto transport =
      tls != nullptr ? tls->Accept(std::move(socket)) : MakePlainTransport(std::move(socket));
  auto connection = connections_.insert(
      connections_.end(),
      std::make_unique<Connection>(context_, std::move(transport), AddressText(peer), date_));
  auto on_end = [this, connection](std::exception_ptr failure) {
    if (failure) {
      try {
        std::rethrow_exception(failure);
      } catch (const std::exception& thrown) {
        if (!draining_) log::Error("http.connection_failed", {{"error", thrown.what()}});
      } catch (...) {
        log::Error("http.connection_failed");
      }
    }
    connections_.erase(connection);
    connection_count_.fetch_sub(1);
    if (is_drained()) timer_.cancel();
  };
  asio::co_spawn(io_, (*connection)->Run(),
                 asio::bind_cancellation_slot((*connection)->slot(), std::move(on_end)));
}

// Makes one attempt to send a 503, without waiting: under overload no connection gets a coroutine.
// Over TLS nothing can be sent before a handshake.
void Worker::RefuseConnection(StreamSocket socket, const TlsIdentity* tls) {
  if (tls != nullptr) return;
  Request nothing;
  Response response = context_.errors(503, "too many connections", nothing);
  HeadOptions head{.keep_alive = false, .body_bytes = response.body.size(), .date = date_};
  std::string text;
  AppendHead(text, response, head);
  text += response.body;
  error_code error;
  socket.non_blocking(true, error);
  socket.write_some(asio::buffer(text), error);
  socket.shutdown(StreamSocket::shutdown_send, error);
}

Task<void> Worker::Tick() {
  Time dead_streams_checked{};
  while (!is_drained()) {
    // Without connections there are no deadlines, so that thousands of idle agents do not wake up.
    const bool idle = connections_.empty() && !draining_;
    timer_.expires_after(draining_ ? std::min(tick_, kDrainTick) : idle ? kIdleTick : tick_);
    co_await timer_.async_wait(kTuple);
    date_ = HttpDate(NowMs() / 1000);
    Time now = std::chrono::steady_clock::now();
    bool check_streams = now - dead_streams_checked >= kDeadStreamCheck;
    if (check_streams) dead_streams_checked = now;
    for (auto& connection : connections_) {
      connection->Tick(now);
      if (check_streams) connection->EndDeadStream();
    }
    if (draining_) ContinueDrain(now);
  }
}

void Worker::BeginDrain() {
  if (std::exchange(draining_, true)) return;
  drain_began_ = std::chrono::steady_clock::now();
  error_code error;
  for (auto& listener : listeners_) listener->acceptor.close(error);
  for (auto& connection : connections_) connection->Drain();
  timer_.cancel();
}

void Worker::ContinueDrain(Time now) {
  auto elapsed = now - drain_began_;
  if (elapsed >= kStreamGrace && !std::exchange(streams_cancelled_, true)) {
    for (auto& connection : connections_) connection->CancelStream();
  }
  if (elapsed >= context_.options.drain_timeout && !std::exchange(aborted_, true)) {
    log::Warn("http.drain_timed_out", {{"connections", connections_.size()}});
    for (auto& connection : connections_) connection->Abort();
  }
}

}  // namespace viv::http
