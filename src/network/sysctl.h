#pragma once
// Writes settings of the calling thread's network namespace. In the machine's own /proc every
// namespace leaves entries behind that all later lookups compare with, so that the ten-thousandth
// box would take ten times as long as the first; here they are written through a /proc of our own,
// which is thrown away after some use.

#include <string>

#include "base/result.h"

namespace viv::network {

// `path` is below /proc/sys/net; kNotFound where the kernel does not know it.
Status WriteSysctl(const std::string& path, std::string_view value);
bool HasSysctl(const std::string& path);

}  // namespace viv::network
