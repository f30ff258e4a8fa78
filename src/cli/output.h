#pragma once
// What a command prints for programs instead of people.

#include <fmt/format.h>

#include "base/json.h"

namespace viv::cli {

inline int PrintJson(const json::value& value) {
  fmt::print("{}\n", WriteJson(value));
  return 0;
}

}  // namespace viv::cli
