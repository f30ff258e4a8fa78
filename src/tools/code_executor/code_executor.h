#pragma once
// Writes Python files into a folder of their own and runs them.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeCodeExecutor(const ToolServerOptions& options);

}  // namespace viv::tools
