// Limits boxes that use kernel memory which no cgroup accounts for (network/socket_memory.h). All
// boxes are checked when the machine's available memory has dropped noticeably, or when TCP uses
// much of it.

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "boxes/box_manager.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kSocketCheckEveryUs = 1'000'000;
constexpr std::int64_t kNoticeableBytes = 128LL << 20;
constexpr std::int64_t kUnchargedShare = 8;  // of a box's memory
constexpr std::int64_t kUnchargedMin = 16LL << 20;

}  // namespace

Task<void> BoxManager::CheckSockets() {
  const std::int64_t now_us = NowUs();
  if (now_us < socket_check_next_us_) co_return;
  socket_check_next_us_ = now_us + kSocketCheckEveryUs;
  const BoxHost::MachineMemory memory = host_.ReadMachineMemory();
  const std::int64_t available = memory.available_bytes;
  memory_available_max_ = std::max(memory_available_max_, available);
  if (memory_available_max_ - available < kNoticeableBytes && !memory.tcp_is_near_limit) co_return;
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
