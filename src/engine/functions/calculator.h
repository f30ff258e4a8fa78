#pragma once
// A calculator for expressions as Python writes them: arithmetic, comparisons, and the functions of
// its math module. The answer is what Python prints, and so is the error. Sizes, nesting and
// numbers are limited, so that no expression costs more than a moment.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine::functions {

constexpr std::size_t kExpressionBytesMax = 10'000;

Result<std::string> Calculate(std::string_view expression);

}  // namespace viv::engine::functions
