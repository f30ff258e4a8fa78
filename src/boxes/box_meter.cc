#include "boxes/box_meter.h"

#include <algorithm>

namespace viv::boxes {

bool BoxMeter::IsDue(std::int64_t now_us) const {
  std::lock_guard lock(mutex_);
  return points_.empty() || now_us - points_.back().at_us >= kMeterEveryUs;
}

void BoxMeter::Add(std::int64_t now_us,
                   const runtime::Usage& usage,
                   const storage::DiskUsage& disk,
                   const BoxSpec& spec) {
  MetricPoint point;
  point.at_us = now_us;
  point.cpus = spec.limits.cpus;
  point.memory_used_bytes = usage.memory_bytes - usage.memory_cache_bytes;
  point.memory_cache_bytes = usage.memory_cache_bytes;
  point.memory_total_bytes = spec.limits.memory_bytes;
  point.disk_used_bytes = disk.used_bytes;
  point.disk_total_bytes = spec.disk_bytes;
  std::lock_guard lock(mutex_);
  // A counter that went back belongs to a new start of the box.
  if (last_cpu_us_ && usage.cpu_us >= *last_cpu_us_ && !points_.empty()) {
    auto passed = std::max<std::int64_t>(1, now_us - points_.back().at_us);
    point.cpu_used_percent =
        100.0 * static_cast<double>(usage.cpu_us - *last_cpu_us_) / static_cast<double>(passed);
  }
  last_cpu_us_ = usage.cpu_us;
  points_.push_back(point);
  if (points_.size() > kMeterPointsMax) points_.pop_front();
}

std::vector<MetricPoint> BoxMeter::points() const {
  std::lock_guard lock(mutex_);
  return {points_.begin(), points_.end()};
}

std::optional<MetricPoint> BoxMeter::last() const {
  std::lock_guard lock(mutex_);
  if (points_.empty()) return std::nullopt;
  return points_.back();
}

}  // namespace viv::boxes
