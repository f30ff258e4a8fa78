#pragma once
// Writes Python files into a folder of their own and runs them.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeCodeExecutor(const Setup& setup);

}  // namespace viv::tools
