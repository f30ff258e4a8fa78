#pragma once
// Parts of a blob, as HTTP names them: Range of a download, Content-Range of an upload that comes
// in pieces.

#include <cstdint>
#include <optional>
#include <string_view>

namespace viv::blobs {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

struct RangeChoice {
  enum class Kind { kWhole, kPart, kUnsatisfiable } kind = Kind::kWhole;  // kUnsatisfiable: 416
  ByteRange span;                                                         // of kPart
};
// One range only; several, and what is no range, mean the whole.
RangeChoice ChooseRange(std::string_view header, std::uint64_t size);

// "bytes 0-99/1000", "bytes 0-99/*" or, to ask what has arrived, "bytes */1000".
struct ContentRange {
  std::optional<ByteRange> span;
  std::optional<std::uint64_t> total;
};
std::optional<ContentRange> ReadContentRange(std::string_view header);  // nothing when malformed

}  // namespace viv::blobs
