#pragma once
// What a command wrote, as text: strictly UTF-8, for binary data helps no agent, and cut to length.

#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::tools::terminal {

enum class Completeness {
  kWhole,
  kCut
};  // whether the bytes were cut before, perhaps within a character

// Line ends become "\n". kInvalidArgument names the first byte that is no UTF-8.
Result<std::string> DecodeOutput(std::string bytes, Completeness whole);

// At most `characters_max` characters (0: all), and the mark when some are missing.
std::string CutOutput(std::string text, std::size_t characters_max, Completeness whole);

}  // namespace viv::tools::terminal
