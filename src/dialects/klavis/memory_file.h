#pragma once
// The file of localmemory's graph: JSON Lines, one entity or relation each. Where it lies depends
// on the benchmark.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::klavis {

std::string MemoryFileOf(std::string_view benchmark);

// kInvalidArgument with the number of the first line that is neither.
Status CheckMemoryLines(std::string_view text);

}  // namespace viv::klavis
