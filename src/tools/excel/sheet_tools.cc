#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

tl::unexpected<Error> SheetFailure(ErrorCode code, std::string message) {
  return Fail(code, std::move(message));
}

Result<std::string> CreateWorksheet(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string name = arguments.Text("sheet_name");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  if (workbook->Find(name) != nullptr)
    return SheetFailure(ErrorCode::kConflict, "Sheet " + name + " already exists");
  RETURN_IF_ERROR(workbook->AddSheet(name));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Sheet " + name + " created successfully";
}

Result<std::string> CopyWorksheet(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string source = arguments.Text("source_sheet");
  const std::string target = arguments.Text("target_sheet");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  const Sheet* sheet = workbook->Find(source);
  if (sheet == nullptr)
    return SheetFailure(ErrorCode::kNotFound, "Source sheet '" + source + "' not found");
  if (workbook->Find(target) != nullptr)
    return SheetFailure(ErrorCode::kConflict, "Target sheet '" + target + "' already exists");
  if (!sheet->is_worksheet())
    return SheetFailure(ErrorCode::kInvalidArgument, "Cannot copy a chart sheet");
  RETURN_IF_ERROR(workbook->CopySheet(*sheet, target));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Sheet '" + source + "' copied to '" + target + "'";
}

Result<std::string> DeleteWorksheet(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string name = arguments.Text("sheet_name");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  if (workbook->Find(name) == nullptr)
    return SheetFailure(ErrorCode::kNotFound, "Sheet '" + name + "' not found");
  if (workbook->sheets().size() == 1)
    return SheetFailure(ErrorCode::kInvalidArgument, "Cannot delete the only sheet in workbook");
  RETURN_IF_ERROR(workbook->RemoveSheet(name));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Sheet '" + name + "' deleted";
}

Result<std::string> RenameWorksheet(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string before = arguments.Text("old_name");
  const std::string after = arguments.Text("new_name");
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, path));
  if (workbook->Find(before) == nullptr)
    return SheetFailure(ErrorCode::kNotFound, "Sheet '" + before + "' not found");
  if (workbook->Find(after) != nullptr)
    return SheetFailure(ErrorCode::kConflict, "Sheet '" + after + "' already exists");
  RETURN_IF_ERROR(workbook->RenameSheet(before, after));
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook));
  return "Sheet renamed from '" + before + "' to '" + after + "'";
}

}  // namespace

void BindSheetTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "create_worksheet",
       [workspace](const Arguments& a) { return CreateWorksheet(workspace, a); });
  Bind(server, "copy_worksheet",
       [workspace](const Arguments& a) { return CopyWorksheet(workspace, a); });
  Bind(server, "delete_worksheet",
       [workspace](const Arguments& a) { return DeleteWorksheet(workspace, a); });
  Bind(server, "rename_worksheet",
       [workspace](const Arguments& a) { return RenameWorksheet(workspace, a); });
}

}  // namespace viv::tools::excel
