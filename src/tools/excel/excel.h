#pragma once
// Workbooks: values, formulas, formats, charts, pivot tables and validation.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeExcel(const Setup& setup);

}  // namespace viv::tools
