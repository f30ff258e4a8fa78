// References themselves: where they stand, how large they are, and other ones made from them.

#include <array>
#include <cmath>

#include "tools/formula/functions.h"
#include "tools/formula/move.h"
#include "tools/formula/reference.h"

namespace viv::formula {
namespace {

Operand RunIndex(Call& call) {
  int row = call.Integer(1, 0), column = call.Integer(2, 0), area_number = call.Integer(3, 1);
  if (row < 0 || column < 0) return Err(ErrorKind::kValue);
  const Reference* reference = call.AsReference(0);
  if (!reference) {
    Array array = call.Matrix(0);
    if (array.rows == 1 && call.size() == 2) std::swap(row, column);
    if (row > array.rows || column > array.columns) return Err(ErrorKind::kReference);
    if (row > 0 && (column > 0 || array.columns == 1))
      return array.At(row - 1, std::max(column, 1) - 1);
    if (column > 0 && array.rows == 1) return array.At(0, column - 1);
    Array out(row > 0 ? 1 : array.rows, column > 0 ? 1 : array.columns);
    for (int r = 0; r < out.rows; ++r)
      for (int c = 0; c < out.columns; ++c)
        out.At(r, c) = array.At(row > 0 ? row - 1 : r, column > 0 ? column - 1 : c);
    return out;
  }
  if (area_number < 1 || area_number > static_cast<int>(reference->size()))
    return Err(ErrorKind::kReference);
  Area area = (*reference)[static_cast<std::size_t>(area_number - 1)];
  if (area.rows() == 1 && call.size() == 2) std::swap(row, column);
  if (row > area.rows() || column > area.columns()) return Err(ErrorKind::kReference);
  if (row > 0) area.first_row = area.last_row = area.first_row + row - 1;
  if (column > 0) area.first_column = area.last_column = area.first_column + column - 1;
  return Reference{area};
}

Operand RunOffset(Call& call) {
  const Reference* reference = call.AsReference(0);
  if (!reference || reference->size() != 1) return Err(ErrorKind::kValue);
  Area area = (*reference)[0];
  double row = area.first_row + std::trunc(call.Number(1));
  double column = area.first_column + std::trunc(call.Number(2));
  double rows = std::trunc(call.Number(3, area.rows())),
         columns = std::trunc(call.Number(4, area.columns()));
  if (rows == 0 || columns == 0) return Err(ErrorKind::kReference);
  if (rows < 0) row += rows + 1;
  if (columns < 0) column += columns + 1;
  double last_row = row + std::fabs(rows) - 1, last_column = column + std::fabs(columns) - 1;
  if (!(row >= 1 && column >= 1 && last_row <= kRowMax && last_column <= kColumnMax))
    return Err(ErrorKind::kReference);
  return Reference{{area.sheet, ToInt(row), ToInt(column), ToInt(last_row), ToInt(last_column)}};
}

// Rows and columns as R1C1 counts them, for INDIRECT(…, FALSE) of absolute references alone.
std::optional<Reference> ParseR1C1(const std::string& text, int sheet) {
  std::string upper = UpperText(text);
  std::size_t c = upper.find('C');
  if (upper.empty() || upper[0] != 'R' || c == std::string::npos || c < 2 || c + 1 >= upper.size())
    return std::nullopt;
  std::optional<double> row = ParseNumberText(upper.substr(1, c - 1));
  std::optional<double> column = ParseNumberText(upper.substr(c + 1));
  if (!row || !column || *row < 1 || *row > kRowMax || *column < 1 || *column > kColumnMax)
    return std::nullopt;
  int r = ToInt(*row), k = ToInt(*column);
  return Reference{{sheet, r, k, r, k}};
}

Operand RunIndirect(Call& call) {
  std::string text = call.Text(0);
  if (call.error()) return Num(0);
  std::optional<Reference> reference = call.Flag(1, true)
                                           ? call.evaluator().ParseReferenceText(text)
                                           : ParseR1C1(text, call.evaluator().at().sheet);
  return reference ? Operand(*reference) : Err(ErrorKind::kReference);
}

// ROW and COLUMN: of the cell itself when nothing is given, of every line of a range otherwise.
Operand RunPosition(Call& call, bool rows) {
  const CellAddress& at = call.evaluator().at();
  if (!call.Has(0)) return Num(rows ? at.row : at.column);
  const Reference* reference = call.AsReference(0);
  if (!reference || reference->size() != 1) return Err(ErrorKind::kValue);
  Area area = call.evaluator().Clipped((*reference)[0]);
  int first = rows ? area.first_row : area.first_column;
  int count = rows ? area.rows() : area.columns();
  if (count == 1) return Num(first);
  if (!call.evaluator().Charge(count) || count > kArrayCellsMax) return Err(ErrorKind::kNumber);
  if (call.scope().want ==
      Want::kValue) {  // one value is wanted: the own row or column, or the first
    int own = rows ? at.row : at.column;
    return Num(own >= first && own < first + count ? own : first);
  }
  Array out(rows ? count : 1, rows ? 1 : count);
  for (int i = 0; i < count; ++i)
    out.cells[static_cast<std::size_t>(i)] = static_cast<double>(first + i);
  return out;
}

Operand RunExtent(Call& call, bool rows) {
  if (const Reference* reference = call.AsReference(0)) {
    if (reference->size() != 1) return Err(ErrorKind::kReference);
    return Num(rows ? (*reference)[0].rows() : (*reference)[0].columns());
  }
  const auto* array = std::get_if<Array>(&call.Raw(0));
  if (!array) {
    call.Scalar(0);
    return Num(1);
  }
  return Num(rows ? array->rows : array->columns);
}

Operand RunAddress(Call& call) {
  int row = call.Integer(0), column = call.Integer(1), kind = call.Integer(2, 1);
  if (row < 1 || row > kRowMax || column < 1 || column > kColumnMax || kind < 1 || kind > 4)
    return Err(ErrorKind::kValue);
  std::string out;
  if (call.Has(4)) out = QuotedSheetName(call.Text(4)) + "!";
  bool row_fixed = kind == 1 || kind == 2, column_fixed = kind == 1 || kind == 3;
  if (call.Flag(3, true)) {
    out += (column_fixed ? "$" : "") + ColumnName(column) + (row_fixed ? "$" : "") +
           std::to_string(row);
  } else {
    auto part = [](int number, bool fixed) {
      return fixed ? std::to_string(number) : "[" + std::to_string(number) + "]";
    };
    out += "R" + part(row, row_fixed) + "C" + part(column, column_fixed);
  }
  return Txt(out);
}

Operand RunFormulaText(Call& call) {
  const Reference* reference = call.AsReference(0);
  if (!reference || reference->size() != 1) return Err(ErrorKind::kNotAvailable);
  const Area& area = (*reference)[0];
  const GridCell* cell =
      call.evaluator().grid().Find({area.sheet, area.first_row, area.first_column});
  return cell && !cell->formula.empty() ? Txt("=" + cell->formula) : Err(ErrorKind::kNotAvailable);
}

Operand RunSheet(Call& call) {
  if (!call.Has(0)) return Num(call.evaluator().at().sheet + 1);
  if (const Reference* reference = call.AsReference(0)) return Num((*reference)[0].sheet + 1);
  std::optional<int> sheet = call.evaluator().grid().FindSheet(call.Text(0));
  return sheet ? Num(*sheet + 1) : Err(ErrorKind::kNotAvailable);
}

const std::array kReferenceTable = {
    Function{"INDEX", "RVVV", 1, 4, RunIndex},
    Function{"OFFSET", "RVVVV", 3, 5, RunOffset},
    Function{"INDIRECT", "V", 1, 2, RunIndirect},
    Function{"ROW", "R", 0, 1, [](Call& c) { return RunPosition(c, true); }},
    Function{"COLUMN", "R", 0, 1, [](Call& c) { return RunPosition(c, false); }},
    Function{"ROWS", "R", 1, 1, [](Call& c) { return RunExtent(c, true); }},
    Function{"COLUMNS", "R", 1, 1, [](Call& c) { return RunExtent(c, false); }},
    Function{"ADDRESS", "V", 2, 5, RunAddress},
    Function{"AREAS", "R", 1, 1,
             [](Call& c) {
               const Reference* reference = c.AsReference(0);
               return reference ? Num(static_cast<double>(reference->size()))
                                : Err(ErrorKind::kValue);
             }},
    Function{"HYPERLINK", "V", 1, 2,
             [](Call& c) { return Operand(c.Has(1) ? c.Scalar(1) : c.Scalar(0)); }},
    Function{"FORMULATEXT", "R", 1, 1, RunFormulaText},
    Function{"SHEET", "R", 0, 1, RunSheet},
    Function{"SHEETS", "R", 0, 1, [](Call& c) { return Num(c.evaluator().grid().sheets()); }},
};

}  // namespace

FunctionList ReferenceFunctions() {
  return kReferenceTable;
}

}  // namespace viv::formula
