#include "blobs/blob_ranges.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace viv::blobs {
namespace {

constexpr std::uint64_t kOffsetMax = 1ULL << 62;

std::optional<std::uint64_t> ReadOffset(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() ||
      number > kOffsetMax)
    return std::nullopt;
  return number;
}

// What follows "bytes" and its separator.
std::optional<std::string_view> AfterUnit(std::string_view header, char separator) {
  header = Trim(header);
  if (header.size() < 6 || !EqualsIgnoreCase(header.substr(0, 5), "bytes") ||
      header[5] != separator)
    return std::nullopt;
  return Trim(header.substr(6));
}

}  // namespace

RangeChoice ChooseRange(std::string_view header, std::uint64_t size) {
  using Kind = RangeChoice::Kind;
  const std::optional<std::string_view> spec = AfterUnit(header, '=');
  if (!spec || spec->find(',') != std::string_view::npos) return {};
  const std::size_t dash = spec->find('-');
  if (dash == std::string_view::npos) return {};
  const std::string_view from = spec->substr(0, dash), to = spec->substr(dash + 1);
  if (from.empty()) {  // the last so many
    const std::optional<std::uint64_t> count = ReadOffset(to);
    if (!count) return {};
    if (*count == 0 || size == 0) return {Kind::kUnsatisfiable, {}};
    const std::uint64_t shown = std::min(*count, size);
    return {Kind::kPart, {size - shown, shown}};
  }
  const std::optional<std::uint64_t> first = ReadOffset(from);
  const std::optional<std::uint64_t> last = to.empty() ? kOffsetMax : ReadOffset(to);
  if (!first || !last || *last < *first) return {};
  if (*first >= size) return {Kind::kUnsatisfiable, {}};
  return {Kind::kPart, {*first, std::min(*last, size - 1) - *first + 1}};
}

std::optional<ContentRange> ReadContentRange(std::string_view header) {
  const std::optional<std::string_view> spec = AfterUnit(header, ' ');
  const std::size_t slash = spec ? spec->find('/') : std::string_view::npos;
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view bytes = spec->substr(0, slash), whole = spec->substr(slash + 1);
  ContentRange range;
  if (whole != "*") {
    range.total = ReadOffset(whole);
    if (!range.total) return std::nullopt;
  }
  if (bytes == "*") return range;
  const std::size_t dash = bytes.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = ReadOffset(bytes.substr(0, dash)), last = ReadOffset(bytes.substr(dash + 1));
  if (!first || !last || *last < *first || (range.total && *last >= *range.total))
    return std::nullopt;
  range.span = ByteRange{*first, *last - *first + 1};
  return range;
}

}  // namespace viv::blobs
