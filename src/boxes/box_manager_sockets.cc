// Limits boxes that use kernel memory which no cgroup accounts for (network/socket_memory.h). All
// boxes are checked when the machine's available memory has dropped noticeably, or when TCP uses
// much of it.

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "boxes/box_manager.h"
#include "runtime/cgroup_files.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kSocketCheckEveryUs = 1'000'000;
constexpr std::int64_t kNoticeableBytes = 128LL << 20;
constexpr std::int64_t kUnchargedShare = 8;  // of a box's memory
constexpr std::int64_t kUnchargedMin = 16LL << 20;

std::int64_t AvailableMemory() {
  auto text = runtime::ReadKernelFile(AT_FDCWD, "/proc/meminfo");
  if (!text) return 0;
  const std::size_t at = text->find("MemAvailable:");
  return at == std::string::npos ? 0 : std::strtoll(text->c_str() + at + 13, nullptr, 10) << 10;
}

// Whether TCP is close to the point where the kernel reduces the memory of all connections of the
// machine.
bool TcpTakesMuch() {
  auto now = runtime::ReadKernelFile(AT_FDCWD, "/proc/net/sockstat");
  auto limits = runtime::ReadKernelFile(AT_FDCWD, "/proc/sys/net/ipv4/tcp_mem");
  if (!now || !limits) return false;
  const std::size_t tcp = now->find("TCP:");
  const std::size_t mem = tcp == std::string::npos ? tcp : now->find(" mem ", tcp);
  if (mem == std::string::npos) return false;
  const long long pages = std::strtoll(now->c_str() + mem + 5, nullptr, 10);
  return pages > std::strtoll(limits->c_str(), nullptr, 10) / 2;
}

}  // namespace

Task<void> BoxManager::CheckSockets() {
  const std::int64_t now_us = NowMicros();
  if (now_us < socket_check_next_us_) co_return;
  socket_check_next_us_ = now_us + kSocketCheckEveryUs;
  const std::int64_t available = AvailableMemory();
  memory_available_max_ = std::max(memory_available_max_, available);
  if (memory_available_max_ - available < kNoticeableBytes && !TcpTakesMuch()) co_return;
  memory_available_max_ = available;
  std::vector<BoxIndex::Found> running;
  index_.ForEach([&running](const BoxIndex::Found& found) {
    if (found.box->state == BoxState::kRunning) running.push_back(found);
  });
  if (running.empty()) co_return;
  auto work = [this, &running] {
    for (const BoxIndex::Found& found : running) LimitSockets(found);
    return true;
  };
  co_await pool_.Run(work);
}

void BoxManager::LimitSockets(const BoxIndex::Found& found) {
  auto uncharged = host_.ReadUnchargedMemory(*found.handle);
  if (!uncharged) return;  // it has just ended
  const std::int64_t most =
      std::max(found.box->spec.limits.memory_bytes / kUnchargedShare, kUnchargedMin);
  if (uncharged->unaccepted_bytes > most) {
    log::Warn("box.connections_dropped",
              {{"box", found.box->id}, {"unaccepted_bytes", uncharged->unaccepted_bytes}});
    if (Status dropped = host_.DropUnaccepted(*found.handle); !dropped)
      log::Error("box.connections_left",
                 {{"box", found.box->id}, {"error", dropped.error().message}});
  }
  if (uncharged->netlink_bytes <= most) return;
  BoxEntry& entry = *found.entry;
  AsyncMutex::Lock lock;
  if (!entry.mutex.TryAcquire(lock) || entry.live == nullptr) return;  // in the next round
  // Only killing the box frees this memory. Its exit is then handled like any other.
  log::Warn("box.killed", {{"box", found.box->id},
                           {"why", "it holds memory of the machine in netlink sockets"},
                           {"bytes", uncharged->netlink_bytes}});
  AddEvent(entry, "Sandbox killed: its netlink sockets hold more memory than it may have");
  std::ignore = entry.live->cgroup->Kill();
  memory_available_max_ = 0;  // starts a new baseline, because killing the box frees memory
}

}  // namespace viv::boxes
