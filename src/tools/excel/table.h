#pragma once
// Tables: a named range with a header row and a style.

#include <string>
#include <vector>

#include "tools/excel/workbook.h"

namespace viv::tools::excel {

struct TableRequest {
  std::string name;
  std::string range;  // "A1:D5"
  std::string style = "TableStyleMedium9";
  bool row_stripes = true;
  bool column_stripes = false;
};

// The columns are named after the cells of the first row. kConflict when the name is taken.
Status AddTable(Workbook& workbook, Sheet& sheet, const TableRequest& request);

struct TableInfo {
  std::string name;
  std::string part;
  int sheet = 0;
  Range range;  // with header and totals
  bool has_header = true;
  bool has_totals = false;
  std::vector<std::string> columns;
};

// Every table of the workbook that can be read.
std::vector<TableInfo> ReadTables(Workbook& workbook);

}  // namespace viv::tools::excel
