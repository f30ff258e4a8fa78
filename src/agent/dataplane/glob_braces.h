#pragma once
// `{a,b}` written out: every alternative of a pattern as a pattern of its own.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::agent {

// kInvalidArgument for a brace that is not closed, and for more alternatives than a pattern has
// reason to have.
Result<std::vector<std::string>> ExpandBraces(std::string_view pattern);

// Where the class that begins at `open`, a '[', ends: at its ']'; npos when it does not.
std::size_t EndOfClass(std::string_view pattern, std::size_t open);

}  // namespace viv::agent
