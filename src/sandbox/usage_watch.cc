#include "sandbox/usage_watch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/log.h"

namespace viv::sandbox {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::uint64_t kFlushEvery = 5;           // looks, while nobody uses much
constexpr std::uint64_t kReadAllEvery = 30;        // looks, of boxes that do not run too
constexpr std::int64_t kFolderBytesMin = 1 << 20;  // a limit of 0 would mean none

}  // namespace

UsageWatch::~UsageWatch() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void UsageWatch::Start() {
  thread_ = std::thread([this] { Run(); });
}

void UsageWatch::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    Look();
    lock.lock();
    wake_.wait_for(lock, kLookEvery, [this] { return stopping_; });
  }
}

// The file system counts what was written with its next commit, which would be half a minute away.
// Who has the machine alone and no limit is not held to one.
void UsageWatch::Flush() {
  if (!budgets_.HasSeveralAccounts() && !budgets_.HasLimitOf(Budget::kDiskBytes)) return;
  if (is_tight_ || looks_ % kFlushEvery == 0) sources_.flush();
}

std::int64_t UsageWatch::Read(const WatchedBox& box) {
  const std::string& folder = box.disk.folder;
  if (folder.empty()) return 0;
  auto known = at_rest_.find(folder);
  if (!box.can_write && known != at_rest_.end()) return known->second;
  const std::int64_t used = sources_.read(folder);
  if (!box.can_write) {
    at_rest_[folder] = used;
  } else if (known != at_rest_.end()) {
    at_rest_.erase(known);
  }
  return used;
}

void UsageWatch::Look() {
  const std::int64_t host_free = sources_.host_disk_free();
  budgets_.SetFree(Budget::kBlobBytes, host_free);
  budgets_.SetFree(Budget::kRepositoryBytes, host_free);
  Flush();
  if (looks_++ % kReadAllEvery == 0) at_rest_.clear();
  std::vector<WatchedBox> boxes = sources_.boxes();
  std::vector<DiskHolder> holders = sources_.snapshots();
  Budgets::Measured memory;
  for (WatchedBox& box : boxes) {
    box.disk.used_bytes = Read(box);
    memory.used[box.disk.account_id] += box.memory_used;
    holders.push_back(box.disk);
  }
  memory.free = sources_.memory_available();
  budgets_.SetMeasured(Budget::kMemoryUsedBytes, std::move(memory));
  Budgets::Measured disk;
  disk.used = DiskUseOf(holders);
  disk.free = std::min(sources_.image_free(), host_free);
  is_tight_ = false;
  const BytesByAccount used = disk.used;
  budgets_.SetMeasured(Budget::kDiskBytes, std::move(disk));
  for (const auto& [account_id, bytes] : used) {
    const auto most = budgets_.MostOf(account_id)[Budget::kDiskBytes];
    is_tight_ = is_tight_ || (most && bytes > *most / 2);
  }
  HoldBack(boxes);
}

bool UsageWatch::MayGrow(const std::string& account_id) {
  const bool may = budgets_.HasRoom(account_id, Budget::kDiskBytes).has_value();
  if (may) {
    full_.erase(account_id);
  } else if (full_.insert(account_id).second) {
    log::Warn("account.disk_used_up", {{"account", account_id}});
  }
  return may;
}

void UsageWatch::HoldBack(const std::vector<WatchedBox>& boxes) {
  const bool is_first = looks_ == 1;          // an earlier server may have held any of them
  std::map<std::string_view, bool> may_grow;  // by account
  std::set<std::string> held;
  for (const WatchedBox& box : boxes) {
    const std::string& folder = box.disk.folder;
    if (folder.empty()) continue;
    const bool was_held = is_first || held_.contains(folder);
    auto [may, is_new] = may_grow.try_emplace(box.disk.account_id, true);
    if (is_new) may->second = MayGrow(box.disk.account_id);
    if (!box.can_write) {  // seen to when it runs again
      if (was_held) held.insert(folder);
      continue;
    }
    if (may->second && !was_held) continue;
    const std::int64_t most = std::max(kFolderBytesMin, box.disk_allowed);
    const std::int64_t bytes =
        may->second ? most : std::clamp(box.disk.used_bytes, kFolderBytesMin, most);
    Status limited = sources_.limit(folder, bytes);
    // A box that ended meanwhile has no folder any more.
    if (!limited && limited.error().code != ErrorCode::kNotFound)
      log::Error("box.disk_not_limited", {{"folder", folder}, {"error", limited.error().message}});
    if (!may->second) held.insert(folder);
  }
  held_ = std::move(held);
}

}  // namespace viv::sandbox
