#pragma once
// create_pivot_table: a range summed up on a sheet of its own, one row for every combination of the
// values of the row fields.

#include <string>
#include <vector>

#include "tools/excel/workbook.h"
#include "tools/kit/tool_server.h"
#include "tools/kit/workspace.h"

namespace viv::tools::excel {

constexpr std::size_t kPivotRowsMax = 100'000;

struct PivotRequest {
  std::string data_range;
  std::vector<std::string> rows, values, columns;  // headers; columns are checked and no more
  std::string function = "sum";                    // sum, average, count, min or max
};

// Makes the sheet "<sheet>_pivot" in place of one that may be there.
Status AddPivot(Workbook& workbook, Sheet& sheet, const PivotRequest& request);

void BindPivots(ToolServer& server, const Workspace& workspace);

}  // namespace viv::tools::excel
