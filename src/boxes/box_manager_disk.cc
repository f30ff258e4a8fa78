// What happens while the machine's disk is almost full: no box starts, boxes that write are frozen,
// and they are thawed when there is free space. If the disk below the image were full, the files of
// all boxes would be damaged.

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "boxes/box_manager.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kTrimWhileLowUs = 30'000'000;

}  // namespace

Status BoxManager::CheckDiskSpace() const {
  if (image_is_broken_)
    return Fail(ErrorCode::kUnavailable,
                "the kernel closed the file system of boxes after an error; the operator has to "
                "start this server again");
  if (!disk_is_low_) return {};
  auto room = host_.ReadSpace();
  return Fail(ErrorCode::kUnavailable,
              (room ? storage::DescribeLowDisk(*room) : "the disk of this server is almost full") +
                  "; no boxes start and no snapshots are taken until there is room");
}

std::size_t BoxManager::frozen_for_disk() const {
  std::size_t count = 0;
  index_.ForEach([&count](const BoxIndex::Found& found) {
    if (found.entry->frozen_for_disk) ++count;
  });
  return count;
}

std::vector<std::string> BoxManager::Problems() const {
  std::vector<std::string> problems;
  if (Status room = CheckDiskSpace(); !room) problems.push_back(room.error().message);
  return problems;
}

Task<void> BoxManager::CheckDisk() {
  auto room = host_.ReadSpace();
  if (!room) co_return;
  if (!room->is_writable && !image_is_broken_.exchange(true))
    log::Error("disk.image_broken", {{"advice", "free some space and start the server again"}});
  const bool was_low = disk_is_low_;
  const bool is_low = was_low ? !room->IsAmple() : room->IsLow();
  disk_is_low_ = is_low;
  const std::int64_t now_us = NowUs();
  if (is_low && now_us >= trim_next_us_) {
    host_.storage().TrimSoon();
    trim_next_us_ = now_us + kTrimWhileLowUs;
  }
  if (is_low && !was_low) log::Error("disk.low", {{"why", storage::DescribeLowDisk(*room)}});
  if (is_low) {
    co_await FreezeWriters(room->IsCritical());
  } else if (was_low || frozen_for_disk_ > 0) {
    co_await ThawFrozen();
  }
  if (was_low && !is_low) log::Info("disk.has_room", {{"free_bytes", room->host_bytes}});
}

// Freezes the boxes that wrote since the last check, or all of them once the reserve itself is
// being used.
Task<void> BoxManager::FreezeWriters(bool all) {
  std::vector<BoxIndex::Found> running;
  index_.ForEach([&](const BoxIndex::Found& found) {
    if (found.box->state == BoxState::kRunning && !found.entry->frozen_for_disk)
      running.push_back(found);
  });
  if (running.empty()) co_return;
  auto work = [this, &running, all] {
    for (const BoxIndex::Found& found : running) FreezeIfWriting(found, all);
    return true;
  };
  co_await pool_.Run(work);
}

void BoxManager::FreezeIfWriting(const BoxIndex::Found& found, bool all) {
  BoxEntry& entry = *found.entry;
  AsyncMutex::Lock lock;
  if (!entry.mutex.TryAcquire(lock) || entry.live == nullptr) return;
  const std::uint64_t written = host_.ReadBytesWritten(*entry.live);
  const bool writes = entry.written_bytes && written > *entry.written_bytes;
  entry.written_bytes = written;
  if (!writes && !all) return;
  const std::string& folder = entry.live->handle.folder;
  // A process is frozen only when its system call ends, and one call writes up to 2 GiB. Where that
  // is too much, a disk limit stops the call at once.
  if (all) {
    if (auto usage = host_.storage().Read(folder))
      std::ignore = host_.storage().SetLimit(folder, std::max<std::int64_t>(usage->used_bytes, 1));
  }
  if (Status frozen = entry.live->cgroup->Freeze(); !frozen && !all) {
    log::Warn("box.not_held", {{"box", entry.id}, {"error", frozen.error().message}});
    return;
  }
  entry.frozen_for_disk = true;
  ++frozen_for_disk_;
  AddEvent(entry, "Sandbox stands still: the server's disk is almost full");
  log::Warn("box.held", {{"box", entry.id}, {"why", "the disk is almost full"}});
}

Task<void> BoxManager::ThawFrozen() {
  std::vector<BoxIndex::Found> frozen;
  std::size_t count = 0;  // boxes that ended meanwhile are not counted
  index_.ForEach([&](const BoxIndex::Found& found) {
    if (found.entry->frozen_for_disk) frozen.push_back(found);
  });
  auto work = [this, &frozen, &count] {
    for (const BoxIndex::Found& found : frozen) {
      Thaw(found);
      if (found.entry->frozen_for_disk) ++count;
    }
    return true;
  };
  if (!frozen.empty()) co_await pool_.Run(work);
  frozen_for_disk_ = count;
}

void BoxManager::Thaw(const BoxIndex::Found& found) {
  BoxEntry& entry = *found.entry;
  AsyncMutex::Lock lock;
  if (!entry.mutex.TryAcquire(lock)) return;  // in the next round
  const BoxPtr box = index_.Find(entry.id).box;
  if (box != nullptr && entry.live != nullptr) {
    Status released = host_.storage().SetLimit(entry.live->handle.folder, box->spec.disk_bytes);
    if (released && box->state == BoxState::kRunning) released = entry.live->cgroup->Thaw();
    if (!released) {
      log::Error("box.not_released", {{"box", entry.id}, {"error", released.error().message}});
      return;
    }
    AddEvent(entry, "Sandbox goes on: the server's disk has room");
    log::Info("box.released", {{"box", entry.id}});
  }
  entry.written_bytes.reset();
  entry.frozen_for_disk = false;
}

}  // namespace viv::boxes
