#pragma once
// The policy of system calls as the program that the kernel runs on each of them. Compiled once per
// server; every box gets the same.

#include <linux/filter.h>

#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::runtime {

Result<std::vector<sock_filter>> CompileFilter(std::string_view policy);
Result<std::vector<sock_filter>> CompileBoxFilter();

}  // namespace viv::runtime
