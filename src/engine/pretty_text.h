#pragma once
// A tool's JSON answer as people and agents read it.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::engine {

// As PrettyJson(ParseJson(text)). What it parses lives in one block of memory that is dropped at
// once, which takes half of the time where nobody needs the value itself.
Result<std::string> PrettyText(std::string_view text, std::size_t depth_max);

}  // namespace viv::engine
