#pragma once
// What the kernel tells of a process: when it started, which tells it from a later one with the
// same number, whose it is, what it wrote.

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace viv::runtime {

// Field 22 of /proc/PID/stat, in clock ticks since boot.
Result<std::uint64_t> ParseStartTime(std::string_view stat);
Result<std::uint64_t> ReadStartTime(pid_t pid);

// The effective user, of /proc/PID/status; also of one that is dying.
Result<uid_t> ParseUser(std::string_view status);
Result<uid_t> ReadUser(pid_t pid);

// What it, and children that it has waited for, caused to be written to file systems, of
// /proc/PID/io.
Result<std::uint64_t> ParseBytesWritten(std::string_view io);
Result<std::uint64_t> ReadBytesWritten(pid_t pid);

}  // namespace viv::runtime
