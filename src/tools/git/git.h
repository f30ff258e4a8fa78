#pragma once
// Repositories of the workspace, by the git program.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeGit(const ToolServerOptions& options);

}  // namespace viv::tools
