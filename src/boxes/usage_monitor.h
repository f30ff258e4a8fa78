#pragma once
// Measures how much disk and memory the accounts use, and stops the growth of those that use all
// they may: their boxes keep what they wrote and may delete, but may not grow until there is space
// again. A thread checks accounts that use more than half of their limit every second, and all
// accounts every five seconds; what an account writes between two checks may exceed its limit.

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

// What the monitor needs to know of a box.
struct MonitoredBox {
  DiskHolder disk;
  bool can_write = false;         // its processes run
  std::int64_t disk_allowed = 0;  // its own limit
  std::int64_t memory_used = 0;
};

// What the monitor reads and changes; functions, so that a test can replace the machine.
struct UsageSources {
  std::function<std::vector<MonitoredBox>()> boxes;               // without what folders use
  std::function<std::vector<DiskHolder>()> snapshots;             // the same
  std::function<std::int64_t(const std::string&)> read;           // what a folder uses; blocks
  std::function<Status(const std::string&, std::int64_t)> limit;  // a folder to so many bytes
  std::function<std::int64_t()> image_free;                       // where boxes keep their files
  std::function<void()> flush;  // makes the file system count what was written last
  std::function<std::int64_t()> host_disk_free;  // for blobs and repositories
  std::function<std::int64_t()> memory_available;
};

class UsageMonitor {
 public:
  UsageMonitor(accounts::Budgets& budgets, UsageSources sources)
      : budgets_(budgets), sources_(std::move(sources)) {}
  ~UsageMonitor();

  void Start();    // the thread
  void RunOnce();  // one round; by one caller at a time

 private:
  void Run();
  void MeasureAll();
  void Measure(std::vector<MonitoredBox>& boxes);
  bool IsDue(const MonitoredBox& box) const;
  bool MayGrow(const std::string& account_id);
  void LimitGrowth(const std::vector<MonitoredBox>& boxes);

  accounts::Budgets& budgets_;
  const UsageSources sources_;
  // Used by RunOnce only:
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
