#pragma once
// Reports that a command failed: one line on standard error, exit code 1.

#include <fmt/format.h>

#include <cstdio>

#include "base/result.h"

namespace viv::cli {

inline int PrintError(const Error& error) {
  fmt::print(stderr, "viv: {}\n", error.message);
  return 1;
}

}  // namespace viv::cli
