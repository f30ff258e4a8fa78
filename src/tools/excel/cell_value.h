#pragma once
// A cell's value as a reader of the workbook gets it: a formula as its text, a number formatted as
// a date as that date's text, everything else as what it is.

#include <string>

#include "base/json.h"
#include "tools/excel/python_text.h"
#include "tools/excel/workbook.h"

namespace viv::tools::excel {

// null for a cell that is blank, not there, or hidden by a merged range.
json::value CellValue(Workbook& workbook, const Sheet& sheet, Address at);

// "2024-01-05 00:00:00", "12:30:00" below one day, "#VALUE!" for what is no date.
std::string DateText(double serial, bool starts_1904);
// "1 day, 2:00:00"
std::string DurationText(double days);

}  // namespace viv::tools::excel
