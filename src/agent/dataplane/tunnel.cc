#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "agent/dataplane/dataplane.h"
#include "agent/dataplane/tunnel_stream.h"
#include "agent/dataplane/yamux_session.h"
#include "base/task_group.h"
#include "http/operation_counter.h"

namespace viv::agent {
namespace {

using TunnelClock = std::chrono::steady_clock;

constexpr std::size_t kTunnelsMax = 32;
constexpr std::chrono::seconds kTunnelPingEvery{30};
constexpr std::chrono::seconds kTunnelSilenceMax{90};  // three pings without any answer
constexpr std::chrono::minutes kHalfClosedMax{5};
constexpr int kClosedNormally = 1000;
constexpr int kClosedForProtocol = 1002;

// One WebSocket with its session. Reading is done by whoever runs it; what it spawns keeps it alive
// and is waited for, since the socket lives no longer.
class Tunnel : public std::enable_shared_from_this<Tunnel> {
 public:
  Tunnel(asio::any_io_executor executor, http::WebSocket& socket)
      : socket_(socket), session_(StreamOpener()), operations_(executor), tasks_(executor) {}

  Task<void> Run();

 private:
  YamuxSession::OnStream StreamOpener() {
    return [this](std::shared_ptr<YamuxStream> stream) {
      SpawnTask spawn = [this](Task<void> task) { Spawn(std::move(task)); };
      Spawn(ServeTunnelStream(std::move(stream), std::move(spawn)));
    };
  }
  void Spawn(Task<void> task);
  static Task<void> RunTracked(std::shared_ptr<Tunnel> self,
                               Task<void> task,
                               std::unique_ptr<http::OperationCounter::Entry> entry);
  Task<void> ReadMessages();
  Task<void> SendOutput();
  Task<void> KeepAlive();

  http::WebSocket& socket_;
  YamuxSession session_;
  TunnelClock::time_point last_heard_ = TunnelClock::now();
  Notifier ending_;
  http::OperationCounter operations_;
  std::optional<TaskGroup> tasks_;
};

void Tunnel::Spawn(Task<void> task) {
  if (!tasks_) return;
  auto entry = std::make_unique<http::OperationCounter::Entry>(operations_);
  tasks_->Spawn("agent.tunnel", RunTracked(shared_from_this(), std::move(task), std::move(entry)));
}

Task<void> Tunnel::RunTracked(std::shared_ptr<Tunnel> self,
                              Task<void> task,
                              std::unique_ptr<http::OperationCounter::Entry> entry) {
  try {
    co_await std::move(task);
  } catch (const boost::system::system_error&) {  // cancelled
  }
  entry.reset();  // first: it belongs to the tunnel
  self.reset();
}

Task<void> Tunnel::Run() {
  Spawn(SendOutput());
  Spawn(KeepAlive());
  std::exception_ptr failure;
  try {
    co_await ReadMessages();
  } catch (const boost::system::system_error&) {
    failure = std::current_exception();
  }
  session_.End(kYamuxNormalEnd);
  ending_.NotifyAll();
  if (failure) tasks_.reset();  // we were cancelled: so are they
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await operations_.WaitUntilIdle();
  co_await asio::this_coro::throw_if_cancelled(true);
  if (failure) std::rethrow_exception(failure);
}

Task<void> Tunnel::ReadMessages() {
  for (;;) {
    // A client that asks without reading the responses is not read either.
    while (session_.is_flooded() && !session_.ended()) {
      co_await session_.changed().WaitUntil(Notifier::Time::max());
    }
    Result<http::WebSocket::Message> message = co_await socket_.Read();
    if (!message) co_return;
    last_heard_ = TunnelClock::now();
    if (message->text) session_.Break("a text message; the tunnel is binary");
    if (!session_.Receive(message->data)) co_return;
  }
}

Task<void> Tunnel::SendOutput() {
  for (;;) {
    http::WebSocket::Message message;
    message.text = false;
    message.data = session_.TakeOutput();
    if (message.data.empty()) {
      if (session_.is_done()) break;
      co_await session_.changed().WaitUntil(Notifier::Time::max());
      continue;
    }
    Status written = co_await socket_.Write(std::move(message));
    if (!written) break;
  }
  std::string reason = session_.error();
  int code = reason.empty() ? kClosedNormally : kClosedForProtocol;
  session_.End(kYamuxNormalEnd);  // nothing can be sent any more
  co_await socket_.Close(code, std::move(reason));
}

Task<void> Tunnel::KeepAlive() {
  TunnelClock::time_point next = TunnelClock::now() + kTunnelPingEvery;
  while (!session_.ended()) {
    co_await ending_.WaitUntil(next);
    TunnelClock::time_point now = TunnelClock::now();
    if (now < next) continue;
    next = now + kTunnelPingEvery;
    if (now - last_heard_ > kTunnelSilenceMax) {
      session_.End(kYamuxNormalEnd);
      co_return;
    }
    session_.Ping();
    session_.ResetIdle(now - kHalfClosedMax);
  }
}

// Counts itself among the box's tunnels, from the response that opens it on.
class TunnelCount {
 public:
  explicit TunnelCount(std::shared_ptr<std::size_t> open) : open_(std::move(open)) { ++*open_; }
  ~TunnelCount() { --*open_; }
  TunnelCount(const TunnelCount&) = delete;
  TunnelCount& operator=(const TunnelCount&) = delete;

 private:
  std::shared_ptr<std::size_t> open_;
};

Task<void> ServeTunnel(http::WebSocket& socket) {
  auto executor = co_await asio::this_coro::executor;
  auto tunnel = std::make_shared<Tunnel>(executor, socket);
  co_await tunnel->Run();
}

Task<http::Response> OpenTunnel(std::shared_ptr<std::size_t> open) {
  if (*open >= kTunnelsMax) {
    co_return DataPlaneError(429, "TooManyTunnels",
                             "this box has " + std::to_string(kTunnelsMax) +
                                 " tunnels open: close one, or use its streams");
  }
  // Shared, since std::function copies what it holds.
  auto place = std::make_shared<TunnelCount>(std::move(open));
  http::Response response;
  response.web_socket = [place](http::WebSocket& socket) { return ServeTunnel(socket); };
  co_return response;
}

}  // namespace

void AddTunnel(Context&, http::Router& router) {
  // Shared with the tunnels, which may end after the router.
  auto open = std::make_shared<std::size_t>(0);
  router.Add("GET", "/dataplane/tunnel", [open](http::Request&) { return OpenTunnel(open); });
}

}  // namespace viv::agent
