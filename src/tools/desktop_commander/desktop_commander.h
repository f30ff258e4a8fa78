#pragma once
// Files, search and long-running processes of the workspace.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeDesktopCommander(const Setup& setup);

}  // namespace viv::tools
