#pragma once
// Writes sysctls of the calling thread's network namespace. In the machine's /proc, each namespace
// leaves dentries with which all later lookups are compared, so that the ten-thousandth box would
// take ten times as long as the first. These functions use a separate /proc mount, which is
// replaced after some use.

#include <string>

#include "base/result.h"

namespace viv::network {

// `path` is below /proc/sys/net. kNotFound: the kernel does not have it.
Status WriteSysctl(const std::string& path, std::string_view value);
bool HasSysctl(const std::string& path);

}  // namespace viv::network
