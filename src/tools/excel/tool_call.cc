#include "tools/excel/tool_call.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "tools/excel/python_text.h"

namespace viv::tools::excel {
namespace {

constexpr std::size_t kTextCharactersMax = 32'767;
constexpr std::array<std::string_view, 7> kErrorCodes = {"#NULL!", "#DIV/0!", "#VALUE!", "#REF!",
                                                         "#NAME?", "#NUM!",   "#N/A"};

bool IsAsciiLetter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// At most as many characters as a cell holds.
std::string_view CutText(std::string_view text) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    if (++characters > kTextCharactersMax) return text.substr(0, at);
  }
  return text;
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
}

Status WriteText(Sheet& sheet, Address at, std::string_view whole) {
  const std::string_view text = CutText(whole);
  if (std::any_of(text.begin(), text.end(), IsControl))
    return Fail(ErrorCode::kInvalidArgument, std::string(text) + " cannot be used in worksheets.");
  if (text.size() > 1 && text.front() == '=') {
    sheet.SetFormula(at, text.substr(1));
  } else if (std::find(kErrorCodes.begin(), kErrorCodes.end(), text) != kErrorCodes.end()) {
    sheet.SetError(at, text);
  } else {
    sheet.SetText(at, text);
  }
  return {};
}

}  // namespace

void Bind(ToolServer& server, std::string_view tool, ToolBody body, Failure failure) {
  const std::string name(tool);
  server.On(tool,
            [body = std::move(body), failure, name](const Arguments& arguments,
                                                    const CallContext&) -> CallResult {
              Result<std::string> result = body(arguments);
              if (result) return Text(*std::move(result));
              if (failure == Failure::kRaised)
                return ErrorText("Error executing tool " + name + ": " + result.error().message);
              return Text("Error: " + result.error().message);
            });
}

Result<Corner> ParseCorner(std::string_view text) {
  std::size_t letters = 0;
  while (letters < text.size() && IsAsciiLetter(text[letters])) ++letters;
  std::size_t end = letters;
  while (end < text.size() && IsDigit(text[end])) ++end;
  if (letters == 0 || end == letters)
    return Fail(ErrorCode::kInvalidArgument, "Invalid cell reference: " + std::string(text));
  std::string column(text.substr(0, letters));
  std::transform(column.begin(), column.end(), column.begin(),
                 [](char c) { return c >= 'a' ? c - 'a' + 'A' : c; });
  if (letters > 3)
    return Fail(
        ErrorCode::kInvalidArgument,
        "'" + Printable(column) + "' is not a valid column name. Column names are from A to ZZZ");
  Corner corner;
  for (const char c : column)
    corner.column = corner.column * 26 + static_cast<std::uint32_t>(c - 'A' + 1);
  for (std::size_t at = letters; at < end; ++at)
    corner.row = std::min<std::uint64_t>(
        corner.row * 10 + static_cast<std::uint64_t>(text[at] - '0'), 1ULL << 53);
  return corner;
}

Result<Address> CheckInSheet(const Corner& corner) {
  if (corner.row < 1 || corner.column < 1)
    return Fail(ErrorCode::kInvalidArgument, "Row or column values must be at least 1");
  if (corner.row > kRowsMax)
    return Fail(ErrorCode::kInvalidArgument, "Row " + std::to_string(corner.row) +
                                                 " is beyond the last row of a sheet, " +
                                                 std::to_string(kRowsMax));
  if (corner.column > kColumnsMax)
    return Fail(ErrorCode::kInvalidArgument, "Column " + ColumnName(corner.column) +
                                                 " is beyond the last column of a sheet, " +
                                                 ColumnName(kColumnsMax));
  return Address{static_cast<std::uint32_t>(corner.row), corner.column};
}

bool LooksLikeCell(std::string_view text) {
  std::size_t letters = 0;
  while (letters < text.size() && IsAsciiLetter(text[letters])) ++letters;
  if (letters == 0 || letters == text.size()) return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(letters), text.end(), IsDigit);
}

Result<Range> ParseCorners(std::string_view start, std::string_view end) {
  ASSIGN_OR_RETURN(const Corner first, ParseCorner(start));
  ASSIGN_OR_RETURN(const Corner last, ParseCorner(end.empty() ? start : end));
  Range range;
  ASSIGN_OR_RETURN(range.first, CheckInSheet(first));
  ASSIGN_OR_RETURN(range.last, CheckInSheet(last));
  return range;
}

Status CheckSize(const Range& range, std::string_view doing) {
  if (range.last.row < range.first.row || range.last.column < range.first.column) return {};
  const std::uint64_t count = std::uint64_t{range.last.row - range.first.row + 1} *
                              (range.last.column - range.first.column + 1);
  if (count <= kCellsOfCallMax) return {};
  return Fail(ErrorCode::kLimitExceeded,
              "The range " + ToText(range) + " has " + std::to_string(count) + " cells; at most " +
                  std::to_string(kCellsOfCallMax) + " can be " + std::string(doing) +
                  " in one call. Use a smaller range.");
}

Result<Sheet*> FindSheet(Workbook& workbook, std::string_view name) {
  Sheet* sheet = workbook.Find(name);
  if (sheet == nullptr)
    return Fail(ErrorCode::kNotFound, "Sheet '" + std::string(name) + "' not found");
  if (!sheet->is_worksheet())
    return Fail(ErrorCode::kInvalidArgument,
                "Sheet '" + std::string(name) + "' is a chart sheet, which has no cells");
  return sheet;
}

Status WriteValue(Sheet& sheet, Address at, const json::value& value) {
  if (value.is_null()) return {};
  if (sheet.Covered(at))
    return Fail(ErrorCode::kInvalidArgument, "'MergedCell' object attribute 'value' is read-only");
  if (value.is_string()) return WriteText(sheet, at, View(value.get_string()));
  if (value.is_bool()) {
    sheet.SetBoolean(at, value.get_bool());
  } else if (value.is_number()) {
    sheet.SetNumber(at, value.to_number<double>());
  } else {
    return Fail(ErrorCode::kInvalidArgument, "Cannot convert " + PythonRepr(value) + " to Excel");
  }
  return {};
}

}  // namespace viv::tools::excel
