#pragma once
// Measures what accounts use of the disk and of the memory, and holds those back that use all they
// may: their boxes keep what they wrote, may delete and may not grow, until there is room again. A
// thread of its own looks every second at accounts that use more than half of what they may, and
// every five seconds at all; what an account writes meanwhile it may have too much.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "accounts/budgets.h"
#include "base/result.h"
#include "boxes/disk_use.h"

namespace viv::boxes {

// A box as the watch sees it.
struct MonitoredBox {
  DiskHolder disk;
  bool can_write = false;         // its processes run
  std::int64_t disk_allowed = 0;  // its own limit
  std::int64_t memory_used = 0;
};

// What it looks at and acts on; functions so that a test can take the machine's place.
struct UsageSources {
  std::function<std::vector<MonitoredBox>()> boxes;               // without what folders use
  std::function<std::vector<DiskHolder>()> snapshots;             // the same
  std::function<std::int64_t(const std::string&)> read;           // what a folder uses; blocks
  std::function<Status(const std::string&, std::int64_t)> limit;  // a folder to so many bytes
  std::function<std::int64_t()> image_free;                       // where boxes keep their files
  std::function<void()> flush;                   // what boxes wrote last is counted
  std::function<std::int64_t()> host_disk_free;  // for blobs and repositories
  std::function<std::int64_t()> memory_available;
};

class UsageMonitor {
 public:
  UsageMonitor(accounts::Budgets& budgets, UsageSources sources)
      : budgets_(budgets), sources_(std::move(sources)) {}
  ~UsageMonitor();

  void Start();    // the thread
  void RunOnce();  // once; by one caller at a time

 private:
  void Run();
  void MeasureAll();
  void Measure(std::vector<MonitoredBox>& boxes);
  bool IsDue(const MonitoredBox& box) const;
  bool MayGrow(const std::string& account_id);
  void LimitGrowth(const std::vector<MonitoredBox>& boxes);

  accounts::Budgets& budgets_;
  const UsageSources sources_;
  // Of whoever looks:
  std::uint64_t rounds_ = 0;
  std::set<std::string> near_limit_;  // accounts that use more than half of what they may
  std::set<std::string> at_limit_;    // accounts that use all
  std::set<std::string> capped_;      // folders that may not grow
  std::map<std::string, std::int64_t> measured_;  // what folders took when last measured
  std::mutex mutex_;                              // guards the one below
  bool stopping_ = false;
  std::condition_variable wake_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace viv::boxes
