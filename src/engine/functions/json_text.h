#pragma once
// JSON back to text. Boost writes 1.5 as 1.5E0, which nobody expects to read; here a number has its
// shortest usual form. Writing stops at the limit of a function's result.

#include <string>

#include "base/json.h"

namespace viv::engine::functions {

enum class JsonLayout { kLine, kPretty };
enum class JsonOrder { kAsIs, kSorted, kCanonical };  // of members; the last also has no 1.0

Result<std::string> JsonText(const json::value& value,
                             JsonLayout layout = JsonLayout::kLine,
                             JsonOrder order = JsonOrder::kAsIs);

// A text that two values share exactly when they are equal: 1 and 1.0, members in any order.
Result<std::string> CanonicalJson(const json::value& value);

}  // namespace viv::engine::functions
