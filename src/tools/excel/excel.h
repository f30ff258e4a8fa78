#pragma once
// Workbooks: values, formulas, formats, charts, pivot tables and validation.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeExcel(const ToolServerOptions& options);

}  // namespace viv::tools
