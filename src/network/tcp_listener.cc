// The TCP listener.

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "network/dial.h"
#include "network/egress_listener.h"
#include "network/redirect.h"
#include "network/refusal.h"
#include "network/sniff.h"

namespace viv::network {
namespace {

constexpr std::uint16_t kRedirectedDnsPort = 53;
constexpr int kAcceptsPerBatch = 64;
constexpr auto kAcceptBatchPause = std::chrono::milliseconds(5);
constexpr auto kNoDescriptorsPause = std::chrono::milliseconds(50);

// The destination that the guest dialled. Nothing if that is the box itself: a guest has no reason
// to connect to the listener.
std::optional<Endpoint> OriginalDestination(int fd) {
  SocketAddress meant;
  if (getsockname(fd, meant.get(), &meant.size) != 0) return std::nullopt;
  auto destination = FromSocketAddress(meant);
  if (destination && IsBoxOwnAddress(destination->address)) return std::nullopt;
  return destination;
}

Task<void> ServeFlow(std::shared_ptr<Flow> flow) {
  Box& box = *flow->box;
  auto destination = OriginalDestination(flow->guest.native_handle());
  if (!destination) co_return RefuseWithReset(*flow, "it leads to the box itself");
  flow->destination = *destination;
  if (destination->port == kRedirectedDnsPort) {
    flow->is_dns = true;
    co_return co_await ServeDnsConnection(flow);
  }
  flow->resolved_names =
      box.resolved_names.NamesOf(destination->address, ResolvedNames::Time::clock::now());
  Decision decision = box.Decide(*destination, flow->resolved_names);
  flow->record.rule = std::move(decision.rule);
  if (!decision.allowed)
    co_return RefuseWithReset(*flow, flow->record.rule == "private"
                                         ? "private addresses are closed to boxes"
                                         : "the network policy of the box refuses it");
  flow->record.verdict = "allowed";
  if (box.SniffsConnections()) co_return co_await SniffAndServe(std::move(flow));
  if (co_await ConnectFlow(flow)) StartPipe(std::move(flow));
}

enum class AcceptResult { kEmpty, kMore, kNoDescriptors, kClosed };

// Accepts waiting connections, up to one batch.
AcceptResult AcceptBatch(const std::shared_ptr<Box>& box) {
  for (int i = 0; i < kAcceptsPerBatch; ++i) {
    if (box->closed()) return AcceptResult::kClosed;
    UniqueFd fd(
        accept4(box->tcp_listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
      if (errno == EAGAIN) return AcceptResult::kEmpty;
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return errno == EBADF || errno == EINVAL ? AcceptResult::kClosed
                                               : AcceptResult::kNoDescriptors;
    }
    bool room = box->loop.limits.MayOpen(box->flows.size());
    auto flow = std::make_shared<Flow>(box, std::move(fd));
    if (room)
      asio::co_spawn(box->loop.context(), ServeFlow(std::move(flow)), asio::detached);
    else
      RefuseWithReset(*flow, "too many connections at once");
  }
  return AcceptResult::kMore;
}

}  // namespace

Task<bool> ConnectFlow(std::shared_ptr<Flow> flow) {
  Box& box = *flow->box;
  std::string name = flow->sniffed_host;
  if (name.empty() && !flow->resolved_names.empty()) name = flow->resolved_names.front();
  auto remote = co_await DialFor(flow->box, flow->destination, std::move(name));
  // The box may have been closed, or its rules changed, while we dialled.
  if (remote)
    flow->remote = *std::move(remote);
  else
    flow->RecordFailure(std::move(remote).error().message);
  if (!flow->remote.is_open() || !flow->guest.is_open()) {
    flow->Abort();
    co_return false;
  }
  box.counters.connections.fetch_add(1, std::memory_order_relaxed);
  co_return true;
}

Task<void> ServeTcpListener(std::shared_ptr<Box> box) {
  for (;;) {
    AcceptResult result = AcceptBatch(box);
    if (result == AcceptResult::kClosed) co_return;
    if (result == AcceptResult::kEmpty) {
      if (!co_await WaitReadable(box->tcp_listener)) co_return;
      continue;
    }
    if (result == AcceptResult::kNoDescriptors)
      box->tcp_pause.expires_after(kNoDescriptorsPause);
    else
      box->tcp_pause.expires_after(kAcceptBatchPause);
    co_await box->tcp_pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace viv::network
