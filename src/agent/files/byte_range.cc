#include "agent/files/byte_range.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace viv::agent {
namespace {

std::optional<std::uint64_t> ParsePosition(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

}  // namespace

RangeChoice ChooseRange(std::string_view header, std::uint64_t size) {
  using Kind = RangeChoice::Kind;
  constexpr std::string_view kUnit = "bytes=";
  if (header.empty()) return {};
  if (!header.starts_with(kUnit)) return {Kind::kUnsatisfiable};
  header.remove_prefix(kUnit.size());
  if (header.find(',') != std::string_view::npos) return {};
  header = Trim(header);
  std::size_t dash = header.find('-');
  if (dash == std::string_view::npos) return {Kind::kUnsatisfiable};
  std::string_view from = Trim(header.substr(0, dash));
  std::string_view to = Trim(header.substr(dash + 1));
  if (from.empty()) {  // the last so many
    std::optional<std::uint64_t> count = ParsePosition(to);
    if (!count) return {Kind::kUnsatisfiable};
    if (size == 0) return {};
    if (*count == 0) return {Kind::kUnsatisfiable};
    std::uint64_t taken = std::min(*count, size);
    return {Kind::kPart, {size - taken, taken}};
  }
  std::optional<std::uint64_t> first = ParsePosition(from);
  std::optional<std::uint64_t> last = to.empty() ? UINT64_MAX : ParsePosition(to);
  if (!first || !last || *last < *first) return {Kind::kUnsatisfiable};
  if (size == 0) return {};
  if (*first >= size) return {Kind::kUnsatisfiable};
  return {Kind::kPart, {*first, std::min(*last, size - 1) - *first + 1}};
}

}  // namespace viv::agent
