#include "tools/excel/excel.h"

#include "tools/excel/chart.h"
#include "tools/excel/pivot.h"
#include "tools/excel/tool_call.h"

namespace viv {
extern const std::string_view kExcelTools;
}

namespace viv::tools {

std::unique_ptr<ToolServer> MakeExcel(const ToolServerOptions& options) {
  ServerInfo info{.name = "excel-mcp",
                  .version = "1.0.0",
                  .instructions = "Reads and changes Excel workbooks of the workspace.",
                  .errors = ArgumentErrors::kPydantic};
  auto server = std::make_unique<ToolServer>(std::move(info), kExcelTools);
  const Workspace workspace(options.workspace);
  excel::BindWorkbookTools(*server, workspace);
  excel::BindSheetTools(*server, workspace);
  excel::BindDataTools(*server, workspace);
  excel::BindFormulaTools(*server, workspace);
  excel::BindFormatTools(*server, workspace);
  excel::BindMergeTools(*server, workspace);
  excel::BindRangeTools(*server, workspace);
  excel::BindRowTools(*server, workspace);
  excel::BindValidationTools(*server, workspace);
  excel::BindCharts(*server, workspace);
  excel::BindPivots(*server, workspace);
  return server;
}

}  // namespace viv::tools
