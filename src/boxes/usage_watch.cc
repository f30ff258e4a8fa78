#include "boxes/usage_watch.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/log.h"

namespace viv::boxes {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
// In looks: of accounts that use little, where nobody is held to anything, and of boxes at rest.
constexpr std::uint64_t kMeasureEvery = 5;
constexpr std::uint64_t kMeasureFreeEvery = 10;
constexpr std::uint64_t kMeasureAtRestEvery = 30;
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

bool UsageWatch::IsDue(const WatchedBox& box) const {
  if (!known_.contains(box.disk.folder)) return true;
  if (!box.can_write) return looks_ % kMeasureAtRestEvery == 0;
  return looks_ % kMeasureEvery == 0 || tight_.contains(box.disk.account_id);
}

// What each box's folder takes, as far as it is due.
void UsageWatch::Measure(std::vector<WatchedBox>& boxes) {
  std::map<std::string, std::int64_t> known;
  for (WatchedBox& box : boxes) {
    const std::string& folder = box.disk.folder;
    if (folder.empty()) continue;
    box.disk.used_bytes = IsDue(box) ? sources_.read(folder) : known_[folder];
    known[folder] = box.disk.used_bytes;
  }
  known_ = std::move(known);
}

void UsageWatch::Look() {
  const std::int64_t host_free = sources_.host_disk_free();
  budgets_.SetFree(accounts::Budget::kBlobBytes, host_free);
  budgets_.SetFree(accounts::Budget::kRepositoryBytes, host_free);
  // Who has the machine alone and no limit is not held to one.
  const bool holds =
      budgets_.HasSeveralAccounts() || budgets_.HasLimitOf(accounts::Budget::kDiskBytes);
  const bool is_due = !tight_.empty() || looks_ % (holds ? kMeasureEvery : kMeasureFreeEvery) == 0;
  if (is_due) {
    // The file system counts what was written with its next commit, which would be half a minute
    // away.
    if (holds) sources_.flush();
    MeasureAll();
  }
  ++looks_;
}

void UsageWatch::MeasureAll() {
  std::vector<WatchedBox> boxes = sources_.boxes();
  std::vector<DiskHolder> holders = sources_.snapshots();
  Measure(boxes);
  accounts::Budgets::Measured memory;
  for (const WatchedBox& box : boxes) {
    memory.used[box.disk.account_id] += box.memory_used;
    holders.push_back(box.disk);
  }
  memory.free = sources_.memory_available();
  budgets_.SetMeasured(accounts::Budget::kMemoryUsedBytes, std::move(memory));
  accounts::Budgets::Measured disk;
  disk.used = DiskUseOf(holders);
  disk.free = sources_.image_free();
  const BytesByAccount used = disk.used;
  budgets_.SetMeasured(accounts::Budget::kDiskBytes, std::move(disk));
  tight_.clear();
  for (const auto& [account_id, bytes] : used) {
    const auto most = budgets_.MostOf(account_id)[accounts::Budget::kDiskBytes];
    if (most && bytes > *most / 2) tight_.insert(account_id);
  }
  HoldBack(boxes);
}

bool UsageWatch::MayGrow(const std::string& account_id) {
  const bool may = budgets_.HasRoom(account_id, accounts::Budget::kDiskBytes).has_value();
  if (may) {
    full_.erase(account_id);
  } else if (full_.insert(account_id).second) {
    log::Warn("account.disk_used_up", {{"account", account_id}});
  }
  return may;
}

void UsageWatch::HoldBack(const std::vector<WatchedBox>& boxes) {
  const bool is_first = looks_ == 0;          // an earlier server may have held any of them
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

}  // namespace viv::boxes
