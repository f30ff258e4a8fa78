#pragma once
// Takes valid UTF-8 off the front of a stream of bytes, so that no character is split between two
// frames.

#include <cstddef>
#include <string>
#include <string_view>

namespace viv::agent {

struct Utf8Prefix {
  std::string text;       // valid UTF-8
  std::size_t bytes = 0;  // that it stands for, from the front
};

// Converts as much of `bytes` as is decidable. A byte that belongs to no character becomes U+FFFD.
// An incomplete character at the end is left, unless no bytes follow.
enum class MoreBytes { kMayFollow, kNone };
Utf8Prefix TakeUtf8Prefix(std::string_view bytes, MoreBytes more);

}  // namespace viv::agent
