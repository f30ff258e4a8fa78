#pragma once
// Number formats of cells ("#,##0.00", "yyyy-mm-dd", "0.0%;[Red]-0.0%"): a value as text.

#include <string>
#include <string_view>

#include "tools/formula/value.h"

namespace viv::formula {

constexpr std::size_t kNumberFormatBytesMax = 1024;

// Broken formats show the value as General does.
std::string FormatValue(const Value& value, std::string_view format);

}  // namespace viv::formula
