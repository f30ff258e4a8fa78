#pragma once
// Counts the calls of each tool, in the configuration under `usageStats`, where agents find them.

#include <mutex>
#include <string>
#include <string_view>

#include "tools/desktop_commander/config.h"

namespace viv::tools::commander {

enum class Outcome { kSucceeded, kFailed };

class Usage {
 public:
  explicit Usage(Config& config);  // begins the statistics where there are none

  void Count(std::string_view tool, Outcome outcome);
  std::string Summary() const;

 private:
  Config& config_;
  std::mutex mutex_;
  std::int64_t last_call_ms_ = 0;
};

}  // namespace viv::tools::commander
