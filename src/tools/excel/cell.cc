#include "tools/excel/cell.h"

#include <algorithm>

namespace viv::tools::excel {
namespace {

bool IsLetter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string ColumnName(std::uint32_t column) {
  std::string name;
  for (; column > 0; column = (column - 1) / 26) name += static_cast<char>('A' + (column - 1) % 26);
  std::reverse(name.begin(), name.end());
  return name;
}

std::optional<std::uint32_t> ColumnNumber(std::string_view letters) {
  if (letters.empty() || letters.size() > 3) return {};
  std::uint32_t column = 0;
  for (const char c : letters) {
    if (!IsLetter(c)) return {};
    column = column * 26 + static_cast<std::uint32_t>((c | 0x20) - 'a' + 1);
  }
  if (column > kColumnsMax) return {};
  return column;
}

std::string ToText(Address at) {
  return ColumnName(at.column) + std::to_string(at.row);
}

std::string ToText(const Range& range) {
  return ToText(range.first) + ":" + ToText(range.last);
}

std::string ToShortText(const Range& range) {
  return range.first == range.last ? ToText(range.first) : ToText(range);
}

std::optional<Address> ParseAddress(std::string_view text) {
  std::size_t at = 0;
  if (at < text.size() && text[at] == '$') ++at;
  const std::size_t letters = at;
  while (at < text.size() && IsLetter(text[at])) ++at;
  const auto column = ColumnNumber(text.substr(letters, at - letters));
  if (!column) return {};
  if (at < text.size() && text[at] == '$') ++at;
  std::uint32_t row = 0;
  const std::size_t digits = at;
  for (; at < text.size(); ++at) {
    if (text[at] < '0' || text[at] > '9' || at - digits >= 7) return {};
    row = row * 10 + static_cast<std::uint32_t>(text[at] - '0');
  }
  if (row < 1 || row > kRowsMax) return {};
  return Address{row, *column};
}

std::optional<Range> ParseRange(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto a = ParseAddress(text.substr(0, colon));
  const auto b = colon == std::string_view::npos ? a : ParseAddress(text.substr(colon + 1));
  if (!a || !b) return {};
  return Range{{std::min(a->row, b->row), std::min(a->column, b->column)},
               {std::max(a->row, b->row), std::max(a->column, b->column)}};
}

}  // namespace viv::tools::excel
