#include <algorithm>

#include "tools/excel/shift.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

struct ShiftTool {
  std::string_view name;
  formula::Axis axis;
  formula::Change change;
};

constexpr ShiftTool kShiftTools[] = {
    {"insert_rows", formula::Axis::kRows, formula::Change::kInsert},
    {"insert_columns", formula::Axis::kColumns, formula::Change::kInsert},
    {"delete_sheet_rows", formula::Axis::kRows, formula::Change::kDelete},
    {"delete_sheet_columns", formula::Axis::kColumns, formula::Change::kDelete}};

tl::unexpected<Error> RowFailure(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Result<std::string> RunShift(const Workspace& workspace,
                             const ShiftTool& tool,
                             const Arguments& arguments) {
  const bool rows = tool.axis == formula::Axis::kRows;
  const bool inserts = tool.change == formula::Change::kInsert;
  const std::string what = rows ? "row" : "column";
  const std::string path = arguments.Text("filepath");
  const std::string name = arguments.Text("sheet_name");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, name));
  const std::int64_t start = arguments.Integer(rows ? "start_row" : "start_col");
  const std::int64_t count = arguments.Integer("count", 1);
  if (start < 1) return RowFailure("Start " + what + " must be 1 or greater");
  if (count < 1) return RowFailure("Count must be 1 or greater");
  const Address last = sheet->Used().last;
  const std::int64_t used = rows ? last.row : last.column;
  if (!inserts && start > used)
    return RowFailure("Start " + what + " " + std::to_string(start) +
                      " exceeds worksheet bounds (max " + what + ": " + std::to_string(used) + ")");
  const std::int64_t most = rows ? kRowsMax : kColumnsMax;
  if (start > most || (inserts && count > most))
    return RowFailure("a sheet has at most " + std::to_string(most) + " " + what + "s");
  Shift shift{.axis = tool.axis, .change = tool.change, .at = static_cast<std::uint32_t>(start)};
  shift.count = static_cast<std::uint32_t>(std::min(count, most));
  RETURN_IF_ERROR(ShiftCells(*workbook, *sheet, shift));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return std::string(inserts ? "Inserted " : "Deleted ") + std::to_string(count) + " " + what +
         "(s) starting at " + what + " " + std::to_string(start) + " in sheet '" + name + "'";
}

}  // namespace

void BindRowTools(ToolServer& server, const Workspace& workspace) {
  for (const ShiftTool& tool : kShiftTools)
    Bind(server, tool.name,
         [workspace, tool](const Arguments& a) { return RunShift(workspace, tool, a); });
}

}  // namespace viv::tools::excel
