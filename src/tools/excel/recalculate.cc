#include <cmath>

#include "base/text.h"
#include "tools/excel/table.h"
#include "tools/excel/workbook.h"
#include "tools/formula/formula.h"

namespace viv::tools::excel {
namespace {

formula::Value ValueOf(const Sheet& sheet, const Cell& cell) {
  switch (cell.kind) {
    case CellKind::kNumber:
      return cell.number;
    case CellKind::kBoolean:
      return cell.number != 0;
    case CellKind::kError:
      return formula::FindErrorKind(sheet.Text(cell)).value_or(formula::ErrorKind::kNotAvailable);
    case CellKind::kText:
    case CellKind::kIsoDate:
      return sheet.Text(cell);
    default:
      return formula::Blank{};
  }
}

// The workbook as the formulas see it.
class WorkbookCells : public formula::CellSource {
 public:
  explicit WorkbookCells(Workbook& workbook) : workbook_(workbook), tables_(ReadTables(workbook)) {}

  std::vector<std::string> SheetNames() const override { return workbook_.SheetNames(); }

  void ForEachCell(int number, const Visit& visit) const override {
    const Sheet& sheet = *workbook_.sheets()[static_cast<std::size_t>(number)];
    for (const auto& [row, line] : sheet.rows()) {
      for (const auto& [column, cell] : line.cells) {
        if (cell.kind == CellKind::kBlank && cell.formula == 0) continue;
        formula::Cell seen{.value = ValueOf(sheet, cell), .formula = sheet.Formula(cell)};
        if (cell.formula != 0 && !sheet.formula_attributes().empty())
          seen.is_array = sheet.formula_attributes().count({row, column}) > 0;
        visit(static_cast<int>(row), static_cast<int>(column), seen);
      }
    }
  }

  std::optional<std::string> DefinedName(std::string_view name, int sheet) const override {
    std::optional<std::string> found;
    for (const pugi::xml_node node :
         workbook_.root().child("definedNames").children("definedName")) {
      if (!EqualsIgnoreCase(node.attribute("name").value(), name)) continue;
      const pugi::xml_attribute local = node.attribute("localSheetId");
      if (local && local.as_int() == sheet) return node.child_value();
      if (!local) found = node.child_value();
    }
    return found;
  }

  std::vector<formula::Table> Tables() const override {
    std::vector<formula::Table> tables;
    for (const TableInfo& info : tables_) {
      formula::Table table;
      table.name = info.name;
      table.sheet = info.sheet;
      table.first_row = static_cast<int>(info.range.first.row);
      table.first_column = static_cast<int>(info.range.first.column);
      table.last_row = static_cast<int>(info.range.last.row);
      table.last_column = static_cast<int>(info.range.last.column);
      table.has_header = info.has_header;
      table.has_totals = info.has_totals;
      table.columns = info.columns;
      tables.push_back(std::move(table));
    }
    return tables;
  }

 private:
  Workbook& workbook_;
  std::vector<TableInfo> tables_;
};

bool HasFormulas(const Workbook& workbook) {
  for (const auto& sheet : workbook.sheets())
    for (const auto& [number, row] : sheet->rows())
      for (const auto& [column, cell] : row.cells)
        if (cell.formula != 0) return true;
  return false;
}

// A function that is not known here yields #NAME?, and so does all that builds on it: results that
// another program stored there before are better than that.
bool KeepsStoredResult(const Cell& cell, const formula::Value& value) {
  const auto* error = std::get_if<formula::ErrorKind>(&value);
  return error != nullptr && *error == formula::ErrorKind::kName && cell.kind != CellKind::kBlank;
}

void StoreResult(Sheet& sheet, Cell& cell, const formula::Value& value) {
  if (KeepsStoredResult(cell, value)) return;
  cell.decimal = false;
  cell.number = 0;
  cell.text = 0;
  if (const auto* number = std::get_if<double>(&value)) {
    cell.kind = std::isfinite(*number) ? CellKind::kNumber : CellKind::kError;
    if (std::isfinite(*number)) cell.number = *number;
    if (!std::isfinite(*number)) cell.text = sheet.strings().Intern("#NUM!");
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    cell.kind = CellKind::kText;
    cell.text = sheet.strings().Intern(*text);
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    cell.kind = CellKind::kBoolean;
    cell.number = *truth ? 1 : 0;
  } else if (const auto* error = std::get_if<formula::ErrorKind>(&value)) {
    cell.kind = CellKind::kError;
    cell.text = sheet.strings().Intern(formula::ErrorText(*error));
  } else {
    cell.kind = CellKind::kNumber;  // a reference to nothing shows as 0
  }
}

}  // namespace

void Workbook::Recalculate() {
  if (!HasFormulas(*this)) return;
  formula::CalculationOptions options;
  options.dates_from_1904 = starts_1904_;
  const formula::Recalculation done = formula::Recalculate(WorkbookCells(*this), options);
  for (const auto& [at, value] : done.values) {
    Sheet& sheet = *sheets_[static_cast<std::size_t>(at.sheet)];
    Cell& cell =
        sheet.At({static_cast<std::uint32_t>(at.row), static_cast<std::uint32_t>(at.column)});
    if (cell.formula != 0) StoreResult(sheet, cell, value);
  }
}

}  // namespace viv::tools::excel
