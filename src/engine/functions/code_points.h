#pragma once
// Unicode code points: UTF-8 to code points and back, their case, and a folded form for search.
// Latin, Greek and Cyrillic; other scripts stay unchanged.

#include <cstddef>
#include <string>
#include <string_view>

namespace viv::engine::functions {

// The code point at `at`, which moves past it. A broken sequence is one U+FFFD per byte.
char32_t NextCodePoint(std::string_view text, std::size_t& at);
void AppendCodePoint(std::string& out, char32_t code_point);

char32_t LowerCodePoint(char32_t code_point);
char32_t UpperCodePoint(char32_t code_point);
bool IsSpaceCodePoint(char32_t code_point);
bool IsWordCodePoint(
    char32_t code_point);  // letters and digits: all that is not space, sign or control

// Small letters without accents: "Ångström" gives "angstrom", "Straße" gives "strasse".
std::string FoldText(std::string_view text);
void AppendFolded(std::string& out, char32_t code_point);

}  // namespace viv::engine::functions
