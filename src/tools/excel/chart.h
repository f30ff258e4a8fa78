#pragma once
// create_chart: a chart of a range, placed on a sheet.

#include "tools/excel/workbook.h"
#include "tools/kit/tool_server.h"
#include "tools/kit/workspace.h"

namespace viv::tools::excel {

// Puts the chart's XML into the package and on the sheet with its upper left corner in `at`; a
// sheet that has drawings keeps them.
Status PlaceChart(Workbook& workbook, Sheet& sheet, Address at, std::string chart_xml);

void BindCharts(ToolServer& server, const Workspace& workspace);

}  // namespace viv::tools::excel
