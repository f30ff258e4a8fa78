#pragma once
// LIKE of the product: % and _, letters as they are, in at most text times pattern steps.

#include <cstddef>
#include <string_view>

namespace viv::engine::guest_sql {

// Whether the byte belongs to a character of UTF-8 that began before it.
inline bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}
std::string_view CharacterAt(std::string_view text, std::size_t at);  // the whole of it

bool LikeMatches(std::string_view text, std::string_view pattern, std::string_view escape = {});

}  // namespace viv::engine::guest_sql
