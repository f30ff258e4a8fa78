#pragma once
// The unified diff of two texts: hunks without a file header, every line ended by "\n".

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine::functions {

// Empty when the texts are equal; `context` is how many common lines surround a change.
Result<std::string> DiffUnified(std::string_view old_text,
                                std::string_view new_text,
                                std::size_t context);

}  // namespace viv::engine::functions
