#include "tools/excel/cell_value.h"
#include "tools/excel/tool_call.h"
#include "tools/formula/validate.h"

namespace viv::tools::excel {
namespace {

struct FormulaCell {
  std::unique_ptr<Workbook> workbook;
  Sheet* sheet = nullptr;
  Address at;
};

// What both tools check before anything else.
Result<FormulaCell> CheckFormula(const Workspace& workspace, const Arguments& arguments) {
  FormulaCell place;
  ASSIGN_OR_RETURN(place.workbook, OpenWorkbook(workspace, arguments.Text("filepath")));
  ASSIGN_OR_RETURN(place.sheet, FindSheet(*place.workbook, arguments.Text("sheet_name")));
  const std::string cell = arguments.Text("cell");
  if (!LooksLikeCell(cell))
    return Fail(ErrorCode::kInvalidArgument, "Invalid cell reference: " + cell);
  RETURN_IF_ERROR(formula::ValidateFormula(arguments.Text("formula")), "Invalid formula syntax");
  const auto corner = ParseCorner(cell);
  if (!corner)
    return Fail(ErrorCode::kInvalidArgument, cell + " is not a valid coordinate or range");
  if (corner->row < 1 || corner->row > kRowsMax)
    return Fail(ErrorCode::kInvalidArgument,
                "Row numbers must be between 1 and 1048576. Row number supplied was " +
                    std::to_string(corner->row));
  ASSIGN_OR_RETURN(place.at, CheckInSheet(*corner));
  return place;
}

Result<std::string> ApplyFormula(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(FormulaCell place, CheckFormula(workspace, arguments));
  const std::string text = arguments.Text("formula");
  RETURN_IF_ERROR(WriteValue(*place.sheet, place.at, json::value(text)),
                  "Failed to apply formula to cell");
  RETURN_IF_ERROR(SaveWorkbook(workspace, arguments.Text("filepath"), *place.workbook),
                  "Failed to save workbook after applying formula");
  return "Applied formula '" + text + "' to cell " + arguments.Text("cell");
}

Result<std::string> ValidateSyntax(const Workspace& workspace, const Arguments& arguments) {
  ASSIGN_OR_RETURN(FormulaCell place, CheckFormula(workspace, arguments));
  const std::string content = PythonText(CellValue(*place.workbook, *place.sheet, place.at));
  if (!content.starts_with('='))
    return std::string("Formula is valid but cell contains no formula");
  if (content != arguments.Text("formula"))
    return std::string("Formula is valid but doesn't match cell content");
  return std::string("Formula is valid and matches cell content");
}

}  // namespace

void BindFormulaTools(ToolServer& server, const Workspace& workspace) {
  Bind(server, "apply_formula",
       [workspace](const Arguments& a) { return ApplyFormula(workspace, a); });
  Bind(server, "validate_formula_syntax",
       [workspace](const Arguments& a) { return ValidateSyntax(workspace, a); });
}

}  // namespace viv::tools::excel
