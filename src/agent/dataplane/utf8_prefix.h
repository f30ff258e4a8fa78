#pragma once
// Cuts text for frames out of a stream of bytes, so that no character is split between two frames.

#include <cstddef>
#include <string>
#include <string_view>

namespace viv::agent {

struct Utf8Prefix {
  std::string text;       // valid UTF-8
  std::size_t bytes = 0;  // that it stands for, from the front
};

// As much of `bytes` as can be told. A byte that belongs to no character becomes U+FFFD. What may
// be the beginning of a character stays, unless nothing more follows.
enum class MoreBytes { kMayFollow, kNone };
Utf8Prefix TakeUtf8Prefix(std::string_view bytes, MoreBytes more);

}  // namespace viv::agent
