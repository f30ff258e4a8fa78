#pragma once
// Lower case for the alphabets that have one and that names are commonly written in: Latin, Greek,
// Cyrillic, Armenian and full-width letters. The program is static and has no locale to ask.

#include <string>
#include <string_view>

namespace viv::tools::localmemory {

std::string LowerCase(std::string_view utf8);

}  // namespace viv::tools::localmemory
