#pragma once
// Rows and columns put in and taken out: cells move, and all that names cells follows: formulas on
// every sheet, merged ranges, validations, conditional formats, links, tables, names, widths.

#include <optional>

#include "tools/excel/workbook.h"
#include "tools/formula/move.h"

namespace viv::tools::excel {

struct Shift {
  formula::Axis axis = formula::Axis::kRows;
  formula::Change change = formula::Change::kInsert;
  std::uint32_t at = 1;
  std::uint32_t count = 1;
};

// kLimitExceeded when cells would be pushed off the sheet; nothing has changed then.
Status ShiftCells(Workbook& workbook, Sheet& sheet, const Shift& shift);

// A range after the shift; nullopt when all of it was deleted.
std::optional<Range> ShiftedRange(Range range, const Shift& shift);

}  // namespace viv::tools::excel
