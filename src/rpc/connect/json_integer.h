#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"

namespace viv::connect {

// The integer a JSON value stands for in proto3's mapping: a number without a fraction, or its
// digits as text. Nothing otherwise, or when int64 cannot hold it.
std::optional<std::int64_t> IntegerOf(const json::value& value);

}  // namespace viv::connect
