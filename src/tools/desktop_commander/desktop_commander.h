#pragma once
// Files, search and long-running processes of the workspace.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeDesktopCommander(const ToolServerOptions& options);

}  // namespace viv::tools
