#pragma once
// Reading, writing, editing and searching files of the workspace.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeFilesystem(const ToolServerOptions& options);

}  // namespace viv::tools
