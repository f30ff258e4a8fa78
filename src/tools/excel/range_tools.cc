#include <algorithm>

#include "tools/excel/shift.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

// The letters and the digits of a text, wherever they stand in it.
Result<Corner> ParseTarget(std::string_view text) {
  std::string letters, digits;
  for (const char c : text) {
    if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) letters += c;
    if (c >= '0' && c <= '9') digits += c;
  }
  if (digits.empty())
    return Fail(ErrorCode::kInvalidArgument, "invalid literal for int() with base 10: ''");
  if (letters.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "'' is not a valid column name. Column names are from A to ZZZ");
  return ParseCorner(letters + digits);
}

struct CopiedCell {
  Address at;
  Cell cell;
};

// What stands in the range, so that a copy onto itself reads what was there before.
std::vector<CopiedCell> CellsOf(const Sheet& sheet, const Range& range) {
  std::vector<CopiedCell> cells;
  for (std::uint32_t row = range.first.row; row <= range.last.row; ++row)
    for (std::uint32_t column = range.first.column; column <= range.last.column; ++column) {
      const Address at{row, column};
      const Cell* cell = sheet.Find(at);
      cells.push_back({at, cell == nullptr || sheet.Covered(at) ? Cell{} : *cell});
    }
  return cells;
}

Status PasteCell(Sheet& target, const CopiedCell& copied, Address at, int rows, int columns) {
  if (target.Covered(at))
    return Fail(ErrorCode::kInvalidArgument, "'MergedCell' object attribute 'value' is read-only");
  target.SetBlank(at);
  Cell& cell = target.At(at);
  const std::uint32_t style = copied.cell.style != 0 ? copied.cell.style : cell.style;
  cell = copied.cell;
  cell.style = style;
  if (cell.formula == 0) return {};
  cell.kind = CellKind::kBlank;
  cell.formula = target.strings().Intern(
      formula::Translate(target.strings().Plain(copied.cell.formula), rows, columns));
  return {};
}

Result<std::string> CopyRange(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  ASSIGN_OR_RETURN(Sheet * source, FindSheet(*workbook, arguments.Text("sheet_name")));
  Sheet* target = source;
  if (const std::string name = arguments.Text("target_sheet"); !name.empty()) {
    target = workbook->Find(name);
    if (target == nullptr || !target->is_worksheet())
      return Fail(ErrorCode::kNotFound,
                  "Failed to copy range: 'Worksheet " + name + " does not exist.'");
  }
  const std::string start = arguments.Text("source_start"), end = arguments.Text("source_end");
  RETURN_IF_ERROR(ParseCorner(start), "Invalid source range");
  RETURN_IF_ERROR(ParseCorner(end.empty() ? start : end), "Invalid source range");
  ASSIGN_OR_RETURN(const Corner target_corner, ParseTarget(arguments.Text("target_start")),
                   "Invalid target cell");
  ASSIGN_OR_RETURN(const Range range, ParseCorners(start, end), "Failed to copy range");
  ASSIGN_OR_RETURN(const Address to, CheckInSheet(target_corner), "Failed to copy range");
  RETURN_IF_ERROR(CheckSize(range, "copied"));
  const int rows = static_cast<int>(to.row) - static_cast<int>(range.first.row);
  const int columns = static_cast<int>(to.column) - static_cast<int>(range.first.column);
  for (const CopiedCell& copied : CellsOf(*source, range)) {
    const Corner corner{
        static_cast<std::uint64_t>(copied.at.row + static_cast<std::uint32_t>(rows)),
        copied.at.column + static_cast<std::uint32_t>(columns)};
    ASSIGN_OR_RETURN(const Address at, CheckInSheet(corner), "Failed to copy range");
    RETURN_IF_ERROR(PasteCell(*target, copied, at, rows, columns), "Failed to copy range");
  }
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return std::string("Range copied successfully");
}

// Whole rows or columns go, as in the original: the range says which.
Result<std::string> DeleteRange(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string start = arguments.Text("start_cell");
  const std::string end = arguments.Text("end_cell");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  ASSIGN_OR_RETURN(const Corner first, ParseCorner(start), "Invalid range");
  ASSIGN_OR_RETURN(const Corner last, ParseCorner(end.empty() ? start : end), "Invalid range");
  const Range used = sheet->Used();
  if (!end.empty() && last.row > used.last.row)
    return Fail(ErrorCode::kInvalidArgument, "End row " + std::to_string(last.row) +
                                                 " out of bounds (1-" +
                                                 std::to_string(used.last.row) + ")");
  if (!end.empty() && last.column > used.last.column)
    return Fail(ErrorCode::kInvalidArgument, "End column " + std::to_string(last.column) +
                                                 " out of bounds (1-" +
                                                 std::to_string(used.last.column) + ")");
  const std::string direction = arguments.Text("shift_direction", "up");
  if (direction != "up" && direction != "left")
    return Fail(ErrorCode::kInvalidArgument,
                "Invalid shift direction: " + direction + ". Must be 'up' or 'left'");
  Range range;
  ASSIGN_OR_RETURN(range.first, CheckInSheet(first));
  ASSIGN_OR_RETURN(range.last, CheckInSheet(last));
  const bool up = direction == "up";
  const std::uint32_t from = up ? range.first.row : range.first.column;
  const std::uint32_t to = up ? range.last.row : range.last.column;
  if (to >= from) {
    const Shift shift{.axis = up ? formula::Axis::kRows : formula::Axis::kColumns,
                      .change = formula::Change::kDelete,
                      .at = from,
                      .count = to - from + 1};
    RETURN_IF_ERROR(ShiftCells(*workbook, *sheet, shift));
  }
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Range " + ToText(range) + " deleted successfully";
}

Result<std::string> ValidateRange(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, arguments.Text("filepath")));
  ASSIGN_OR_RETURN(const Sheet* sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  std::string shown = arguments.Text("start_cell");
  if (const std::string end = arguments.Text("end_cell"); !end.empty()) shown += ":" + end;
  ASSIGN_OR_RETURN(const Corner start, ParseCorner(shown), "Invalid range");
  const Address last = sheet->Used().last;
  if (start.row < 1 || start.row > last.row)
    return Fail(ErrorCode::kInvalidArgument, "Start row " + std::to_string(start.row) +
                                                 " out of bounds (1-" + std::to_string(last.row) +
                                                 ")");
  if (start.column > last.column)
    return Fail(ErrorCode::kInvalidArgument, "Start column " + ColumnName(start.column) +
                                                 " out of bounds (A-" + ColumnName(last.column) +
                                                 ")");
  return "Range '" + shown + "' is valid. Sheet contains data in range 'A1:" + ToText(last) + "'";
}

}  // namespace

void BindRangeTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "copy_range", [workspace](const Arguments& a) { return CopyRange(workspace, a); });
  Bind(server, "delete_range",
       [workspace](const Arguments& a) { return DeleteRange(workspace, a); });
  Bind(server, "validate_excel_range",
       [workspace](const Arguments& a) { return ValidateRange(workspace, a); });
}

}  // namespace viv::tools::excel
