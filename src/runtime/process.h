#pragma once
// Reads from procfs when a process started, which user it has and how much it has written. The
// start time tells the process from a later one with the same pid.

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace viv::runtime {

// Field 22 of /proc/PID/stat, in clock ticks since boot.
Result<std::uint64_t> ParseStartTime(std::string_view stat);
Result<std::uint64_t> ReadStartTime(pid_t pid);

// The effective user, from /proc/PID/status; works for a dying process too.
Result<uid_t> ParseUser(std::string_view status);
Result<uid_t> ReadUser(pid_t pid);

// How many bytes the process and its reaped children have written to file systems, from
// /proc/PID/io.
Result<std::uint64_t> ParseBytesWritten(std::string_view io);
Result<std::uint64_t> ReadBytesWritten(pid_t pid);

}  // namespace viv::runtime
