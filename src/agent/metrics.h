#pragma once
// The load of the box, as the kernel shows it inside the box. The host, which knows the limits,
// corrects some of the numbers.

#include <cstdint>
#include <string>

#include "base/json.h"

namespace viv::agent {

class Metrics {
 public:
  Metrics(std::string proc_folder, std::string root) : proc_(proc_folder), root_(root) {}

  // {ts, cpu_count, cpu_used_pct, mem_*, disk_*}; what cannot be read is 0. The share of the CPU is
  // of the time since the last look.
  json::object Read();

 private:
  double CpuUsedPercent();

  std::string proc_;
  std::string root_;
  std::uint64_t busy_before_ = 0;
  std::uint64_t total_before_ = 0;
};

}  // namespace viv::agent
