#pragma once
// Runs a snippet in any language whose interpreter is there.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeCodeRunner(const ToolServerOptions& options);

}  // namespace viv::tools
