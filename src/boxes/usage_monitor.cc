#include "boxes/usage_monitor.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/log.h"

namespace viv::boxes {
namespace {

constexpr std::chrono::seconds kCheckEvery{1};
// In rounds: for accounts that use little, where no limit applies, and for boxes that do not run.
constexpr std::uint64_t kMeasureEvery = 5;
constexpr std::uint64_t kMeasureFreeEvery = 10;
constexpr std::uint64_t kMeasureAtRestEvery = 30;
constexpr std::int64_t kFolderBytesMin = 1 << 20;  // a limit of 0 would mean none

}  // namespace

UsageMonitor::~UsageMonitor() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void UsageMonitor::Start() {
  thread_ = std::thread([this] { Run(); });
}

void UsageMonitor::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    RunOnce();
    lock.lock();
    wake_.wait_for(lock, kCheckEvery, [this] { return stopping_; });
  }
}

bool UsageMonitor::IsDue(const MonitoredBox& box) const {
  if (!measured_.contains(box.disk.folder)) return true;
  if (!box.can_write) return rounds_ % kMeasureAtRestEvery == 0;
  return rounds_ % kMeasureEvery == 0 || near_limit_.contains(box.disk.account_id);
}

// What each box's folder takes, as far as it is due.
void UsageMonitor::Measure(std::vector<MonitoredBox>& boxes) {
  std::map<std::string, std::int64_t> known;
  for (MonitoredBox& box : boxes) {
    const std::string& folder = box.disk.folder;
    if (folder.empty()) continue;
    box.disk.used_bytes = IsDue(box) ? sources_.read(folder) : measured_[folder];
    known[folder] = box.disk.used_bytes;
  }
  measured_ = std::move(known);
}

void UsageMonitor::RunOnce() {
  const std::int64_t host_free = sources_.host_disk_free();
  budgets_.SetFree(accounts::Budget::kBlobBytes, host_free);
  budgets_.SetFree(accounts::Budget::kRepositoryBytes, host_free);
  // A single account without a limit is not limited.
  const bool holds =
      budgets_.HasSeveralAccounts() || budgets_.HasLimitOf(accounts::Budget::kDiskBytes);
  const bool is_due =
      !near_limit_.empty() || rounds_ % (holds ? kMeasureEvery : kMeasureFreeEvery) == 0;
  if (is_due) {
    // The file system counts what was written with its next commit, which would be half a minute
    // away.
    if (holds) sources_.flush();
    MeasureAll();
  }
  ++rounds_;
}

void UsageMonitor::MeasureAll() {
  std::vector<MonitoredBox> boxes = sources_.boxes();
  std::vector<DiskHolder> holders = sources_.snapshots();
  Measure(boxes);
  accounts::Budgets::Measured memory;
  for (const MonitoredBox& box : boxes) {
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
  near_limit_.clear();
  for (const auto& [account_id, bytes] : used) {
    const auto most = budgets_.EffectiveLimitsOf(account_id)[accounts::Budget::kDiskBytes];
    if (most && bytes > *most / 2) near_limit_.insert(account_id);
  }
  LimitGrowth(boxes);
}

bool UsageMonitor::MayGrow(const std::string& account_id) {
  const bool may = budgets_.CheckBelowLimit(account_id, accounts::Budget::kDiskBytes).has_value();
  if (may) {
    at_limit_.erase(account_id);
  } else if (at_limit_.insert(account_id).second) {
    log::Warn("account.disk_used_up", {{"account", account_id}});
  }
  return may;
}

void UsageMonitor::LimitGrowth(const std::vector<MonitoredBox>& boxes) {
  const bool is_first = rounds_ == 0;         // an earlier server may have capped any of them
  std::map<std::string_view, bool> may_grow;  // by account
  std::set<std::string> capped;
  for (const MonitoredBox& box : boxes) {
    const std::string& folder = box.disk.folder;
    if (folder.empty()) continue;
    const bool was_capped = is_first || capped_.contains(folder);
    auto [may, is_new] = may_grow.try_emplace(box.disk.account_id, true);
    if (is_new) may->second = MayGrow(box.disk.account_id);
    if (!box.can_write) {  // updated when it runs again
      if (was_capped) capped.insert(folder);
      continue;
    }
    if (may->second && !was_capped) continue;
    const std::int64_t most = std::max(kFolderBytesMin, box.disk_allowed);
    const std::int64_t bytes =
        may->second ? most : std::clamp(box.disk.used_bytes, kFolderBytesMin, most);
    Status limited = sources_.limit(folder, bytes);
    // A box that ended meanwhile has no folder any more.
    if (!limited && limited.error().code != ErrorCode::kNotFound)
      log::Error("box.disk_not_limited", {{"folder", folder}, {"error", limited.error().message}});
    if (!may->second) capped.insert(folder);
  }
  capped_ = std::move(capped);
}

}  // namespace viv::boxes
