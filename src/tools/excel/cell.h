#pragma once
// Where cells are ("B7", "A1:C3") and what is in them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::tools::excel {

constexpr std::uint32_t kRowsMax = 1'048'576;
constexpr std::uint32_t kColumnsMax = 16'384;

struct Address {  // both from 1
  std::uint32_t row = 1;
  std::uint32_t column = 1;
  bool operator==(const Address&) const = default;
};

struct Range {
  Address first, last;
  bool Contains(Address at) const {
    return at.row >= first.row && at.row <= last.row && at.column >= first.column &&
           at.column <= last.column;
  }
  bool Meets(const Range& other) const {
    return first.row <= other.last.row && other.first.row <= last.row &&
           first.column <= other.last.column && other.first.column <= last.column;
  }
  bool operator==(const Range&) const = default;
};

std::string ColumnName(std::uint32_t column);  // 28 is "AB"
// Nothing for what is no column of a sheet.
std::optional<std::uint32_t> ColumnNumber(std::string_view letters);
std::string ToText(Address at);
std::string ToText(const Range& range);       // "A1:C3", also for one cell: "A1:A1"
std::string ToShortText(const Range& range);  // "A1" for one cell

// "B7", "$B$7", also in small letters; within the limits of a sheet.
std::optional<Address> ParseAddress(std::string_view text);
// "A1:C3" or "A1", with dollars; the corners in any order.
std::optional<Range> ParseRange(std::string_view text);

enum class CellKind : std::uint8_t { kBlank, kNumber, kText, kBoolean, kError, kIsoDate };

// A cell as it is stored. Texts lie in the workbook's string table: `text` is the text, the error's
// code ("#N/A") or the ISO date. With a formula the value is its result as last computed; kBlank is
// then "not computed".
struct Cell {
  CellKind kind = CellKind::kBlank;
  bool decimal = false;  // the file spells the number with a point or an exponent
  std::uint32_t style = 0;
  std::uint32_t text = 0;
  std::uint32_t formula = 0;  // its text without "=", in the string table; 0: none
  double number = 0;          // 1 and 0 for booleans
};

}  // namespace viv::tools::excel
