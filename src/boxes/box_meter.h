#pragma once
// What a box used over time: a point every few seconds, the newest kept.

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "boxes/boxes.h"
#include "runtime/cgroups.h"
#include "storage/box_storage.h"

namespace viv::boxes {

inline constexpr std::int64_t kMeterEveryUs = 5'000'000;
inline constexpr std::size_t kMeterPointsMax = 720;  // an hour

class BoxMeter {
 public:
  bool IsDue(std::int64_t now_us) const;
  void Add(std::int64_t now_us,
           const runtime::Usage& usage,
           const storage::DiskUsage& disk,
           const BoxSpec& spec);
  std::vector<MetricPoint> points() const;
  std::optional<MetricPoint> last() const;

 private:
  mutable std::mutex mutex_;  // guards all below
  std::deque<MetricPoint> points_;
  std::optional<std::int64_t> last_cpu_us_;
};

}  // namespace viv::boxes
