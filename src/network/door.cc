// The TCP door.

#include "network/door.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "network/dial.h"
#include "network/redirect.h"
#include "network/refusal.h"
#include "network/sniff.h"

namespace viv::network {
namespace {

constexpr std::uint16_t kDnsPortOfAnyone = 53;
constexpr int kAcceptsPerTurn = 64;
constexpr auto kPauseOfFlooder = std::chrono::milliseconds(5);
constexpr auto kPauseWithoutDescriptors = std::chrono::milliseconds(50);

// Where the guest meant to connect to. Nothing when that is its box: a guest that connects to the
// door itself has no business there.
std::optional<Endpoint> DestinationOf(int fd) {
  SocketAddress meant;
  if (getsockname(fd, meant.get(), &meant.size) != 0) return std::nullopt;
  auto destination = FromSocketAddress(meant);
  if (destination && IsOfBox(destination->address)) return std::nullopt;
  return destination;
}

Task<void> ServeFlow(std::shared_ptr<Flow> flow) {
  Box& box = *flow->box;
  auto destination = DestinationOf(flow->guest.native_handle());
  if (!destination) co_return RefuseAtOnce(*flow, "it leads to the box itself");
  flow->destination = *destination;
  if (destination->port == kDnsPortOfAnyone) {
    flow->is_dns = true;
    co_return co_await ServeDnsConnection(flow);
  }
  flow->names = box.names.NamesOf(destination->address, NameMemory::Time::clock::now());
  Ruling ruling = box.Judge(*destination, flow->names);
  flow->record.rule = std::move(ruling.rule);
  if (!ruling.allowed)
    co_return RefuseAtOnce(*flow, flow->record.rule == "private"
                                      ? "private addresses are closed to boxes"
                                      : "the network policy of the box refuses it");
  flow->record.verdict = "allowed";
  if (box.ReadsOpenings()) co_return co_await ServeByOpening(std::move(flow));
  if (co_await ConnectFlow(flow)) StartPipe(std::move(flow));
}

enum class AcceptEnd { kEmpty, kMore, kNoDescriptors, kClosed };

// Takes what waits at the door, up to one turn's worth.
AcceptEnd AcceptTurn(const std::shared_ptr<Box>& box) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    if (box->closed()) return AcceptEnd::kClosed;
    UniqueFd fd(
        accept4(box->tcp_door.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
      if (errno == EAGAIN) return AcceptEnd::kEmpty;
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return errno == EBADF || errno == EINVAL ? AcceptEnd::kClosed : AcceptEnd::kNoDescriptors;
    }
    bool room = box->loop.limits.MayOpen(box->flows.size());
    auto flow = std::make_shared<Flow>(box, std::move(fd));
    if (room)
      asio::co_spawn(box->loop.context(), ServeFlow(std::move(flow)), asio::detached);
    else
      RefuseAtOnce(*flow, "too many connections at once");
  }
  return AcceptEnd::kMore;
}

}  // namespace

Task<bool> ConnectFlow(std::shared_ptr<Flow> flow) {
  Box& box = *flow->box;
  std::string name = flow->name;
  if (name.empty() && !flow->names.empty()) name = flow->names.front();
  auto remote = co_await DialFor(flow->box, flow->destination, std::move(name));
  // The box may have been closed, or its rules changed, while we dialled.
  if (remote)
    flow->remote = *std::move(remote);
  else
    flow->NoteFailure(std::move(remote).error().message);
  if (!flow->remote.is_open() || !flow->guest.is_open()) {
    flow->Cut();
    co_return false;
  }
  box.counters.connections.fetch_add(1, std::memory_order_relaxed);
  co_return true;
}

Task<void> ServeTcpDoor(std::shared_ptr<Box> box) {
  for (;;) {
    AcceptEnd end = AcceptTurn(box);
    if (end == AcceptEnd::kClosed) co_return;
    if (end == AcceptEnd::kEmpty) {
      if (!co_await WaitReadable(box->tcp_door)) co_return;
      continue;
    }
    if (end == AcceptEnd::kNoDescriptors)
      box->tcp_pause.expires_after(kPauseWithoutDescriptors);
    else
      box->tcp_pause.expires_after(kPauseOfFlooder);
    co_await box->tcp_pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace viv::network
