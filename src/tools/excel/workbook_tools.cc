#include <fcntl.h>
#include <sys/stat.h>

#include "base/ids.h"
#include "base/text.h"
#include "tools/excel/python_text.h"
#include "tools/excel/table.h"
#include "tools/excel/tool_call.h"

namespace viv::tools::excel {
namespace {

// The folders above a file, made where they are missing.
Status MakeFolders(const Workspace& workspace, const std::string& shown) {
  const std::string path = workspace.Absolute(shown);
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (!workspace.Contains(folder)) continue;
    const auto there = workspace.Real(folder);
    if (there) continue;
    if (there.error().code != ErrorCode::kNotFound) return PassUp(there.error());
    ASSIGN_OR_RETURN(const std::string real, workspace.RealForNew(folder));
    if (::mkdir(real.c_str(), 0777) != 0 && errno != EEXIST)
      return Fail(ErrorCode::kUnavailable, "cannot make the folder " + folder);
  }
  return {};
}

Result<std::string> CreateWorkbook(const Workspace& workspace, const Arguments& arguments) {
  const std::string path = arguments.Text("filepath");
  const std::string shown = ShownPath(workspace, path);
  RETURN_IF_ERROR(MakeFolders(workspace, shown), "Failed to create workbook");
  ASSIGN_OR_RETURN(auto workbook, Workbook::Create("Sheet1"), "Failed to create workbook");
  RETURN_IF_ERROR(SaveWorkbook(workspace, path, *workbook), "Failed to create workbook");
  return "Created workbook at " + shown;
}

Result<std::string> WorkbookMetadata(const Workspace& workspace, const Arguments& arguments) {
  const std::string shown = ShownPath(workspace, arguments.Text("filepath"));
  const auto real = workspace.Real(shown);
  if (!real && real.error().code == ErrorCode::kNotFound)
    return Fail(ErrorCode::kNotFound, "File not found: " + shown);
  if (!real) return PassUp(real.error());
  struct stat status {};
  if (::stat(real->c_str(), &status) != 0)
    return Fail(ErrorCode::kNotFound, "File not found: " + shown);
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, shown));
  json::array sheets;
  json::object ranges;
  for (const auto& sheet : workbook->sheets()) {
    sheets.emplace_back(sheet->name());
    ranges[sheet->name()] = "A1:" + ToText(sheet->Used().last);
  }
  json::object info;
  info["filename"] = shown.substr(shown.rfind('/') + 1);
  info["sheets"] = std::move(sheets);
  info["size"] = static_cast<std::int64_t>(status.st_size);
  info["modified"] = static_cast<double>(status.st_mtim.tv_sec) +
                     static_cast<double>(status.st_mtim.tv_nsec) * 1e-9;
  if (arguments.Flag("include_ranges")) info["used_ranges"] = std::move(ranges);
  return PythonRepr(json::value(std::move(info)));
}

Result<std::string> CreateTable(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto workbook, OpenWorkbook(workspace, arguments.Text("filepath")));
  const std::string sheet_name = arguments.Text("sheet_name");
  auto sheet = FindSheet(*workbook, sheet_name);
  if (!sheet) return Fail(sheet.error().code, sheet.error().message + ".");
  TableRequest request;
  request.name = arguments.Text("table_name");
  if (request.name.empty()) request.name = "Table_" + RandomHex(8);
  request.range = arguments.Text("data_range");
  request.style = arguments.Text("table_style");
  for (const auto& [defined, text] : workbook->DefinedNames())
    if (defined == request.name)
      return Fail(ErrorCode::kConflict, "Table name '" + request.name + "' already exists.");
  RETURN_IF_ERROR(AddTable(*workbook, **sheet, request));
  RETURN_IF_ERROR(SaveWorkbook(workspace, arguments.Text("filepath"), *workbook));
  return "Successfully created table '" + request.name + "' in sheet '" + sheet_name + "'.";
}

}  // namespace

void BindWorkbookTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "create_workbook",
       [workspace](const Arguments& a) { return CreateWorkbook(workspace, a); });
  Bind(server, "get_workbook_metadata",
       [workspace](const Arguments& a) { return WorkbookMetadata(workspace, a); });
  Bind(server, "create_table",
       [workspace](const Arguments& a) { return CreateTable(workspace, a); });
}

}  // namespace viv::tools::excel
