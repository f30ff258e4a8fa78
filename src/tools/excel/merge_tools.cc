#include <algorithm>

#include "tools/excel/merge.h"
#include "tools/excel/python_text.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {

Status MergeRange(Sheet& sheet, const Range& range) {
  const auto in_order = [](std::uint32_t first, std::uint32_t last) -> Status {
    if (first <= last) return {};
    return Fail(ErrorCode::kInvalidArgument,
                std::to_string(last) + " must be greater than " + std::to_string(first));
  };
  RETURN_IF_ERROR(in_order(range.first.column, range.last.column));
  RETURN_IF_ERROR(in_order(range.first.row, range.last.row));
  if (std::find(sheet.merged().begin(), sheet.merged().end(), range) == sheet.merged().end())
    sheet.merged().push_back(range);
  for (auto row = sheet.rows().lower_bound(range.first.row);
       row != sheet.rows().end() && row->first <= range.last.row; ++row) {
    std::vector<Address> covered;
    for (const auto& [column, cell] : row->second.cells)
      if (const Address at{row->first, column}; range.Contains(at) && !(at == range.first))
        covered.push_back(at);
    for (const Address at : covered) sheet.SetBlank(at);
  }
  return {};
}

namespace {

Result<std::string> MergeCells(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string name = arguments.Text("sheet_name");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, name));
  if (arguments.Text("end_cell").empty())
    return Fail(ErrorCode::kInvalidArgument,
                "Both start and end cells must be specified for merging");
  ASSIGN_OR_RETURN(const Range range,
                   ParseCorners(arguments.Text("start_cell"), arguments.Text("end_cell")));
  RETURN_IF_ERROR(MergeRange(*sheet, range));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Range '" + ToText(range) + "' merged in sheet '" + name + "'";
}

Result<std::string> UnmergeCells(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  ASSIGN_OR_RETURN(Sheet * sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  if (arguments.Text("end_cell").empty())
    return Fail(ErrorCode::kInvalidArgument,
                "Both start and end cells must be specified for unmerging");
  ASSIGN_OR_RETURN(const Range range,
                   ParseCorners(arguments.Text("start_cell"), arguments.Text("end_cell")));
  const auto found = std::find(sheet->merged().begin(), sheet->merged().end(), range);
  if (found == sheet->merged().end())
    return Fail(ErrorCode::kNotFound, "Range '" + ToText(range) + "' is not merged");
  sheet->merged().erase(found);
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Range '" + ToText(range) + "' unmerged successfully";
}

Result<std::string> MergedCells(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, arguments.Text("filepath")));
  ASSIGN_OR_RETURN(const Sheet* sheet, FindSheet(*workbook, arguments.Text("sheet_name")));
  json::array ranges;
  for (const Range& range : sheet->merged()) ranges.emplace_back(ToShortText(range));
  return PythonRepr(json::value(std::move(ranges)));
}

}  // namespace

void BindMergeTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "merge_cells", [workspace](const Arguments& a) { return MergeCells(workspace, a); });
  Bind(server, "unmerge_cells",
       [workspace](const Arguments& a) { return UnmergeCells(workspace, a); });
  Bind(server, "get_merged_cells",
       [workspace](const Arguments& a) { return MergedCells(workspace, a); });
}

}  // namespace viv::tools::excel
