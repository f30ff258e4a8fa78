#pragma once
// The Range header (RFC 9110): which bytes of a file are wanted.

#include <cstdint>
#include <optional>
#include <string_view>

namespace viv::agent {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct RangeChoice {
  enum class Kind {
    kWhole,          // none asked for, several of them, or of an empty file
    kPart,           // `range`
    kUnsatisfiable,  // malformed, or nothing of it is in the file: 416
  };
  Kind kind = Kind::kWhole;
  ByteRange range = {};
};

RangeChoice ChooseRange(std::string_view header, std::uint64_t size);

}  // namespace viv::agent
