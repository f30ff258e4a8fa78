#pragma once
// Tells a process from a later one with the same number, by when it started.

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace viv::runtime {

// Field 22 of /proc/PID/stat, in clock ticks since boot.
Result<std::uint64_t> ParseStartTime(std::string_view stat);
Result<std::uint64_t> ReadStartTime(pid_t pid);

}  // namespace viv::runtime
