#pragma once
// Brace expansion as shells and the glob libraries of Node know it: a{b,c}d means abd and acd,
// {1..3} counts, {01..10} counts with leading zeros, {a..e..2} steps.

#include <string>
#include <string_view>
#include <vector>

namespace viv::tools::filesystem {

// At least one pattern, at most a thousand; beyond that the rest is left out. A backslash keeps the
// character after it from having a meaning, and both stay.
std::vector<std::string> ExpandBraces(std::string_view pattern);

}  // namespace viv::tools::filesystem
