#pragma once
// Repositories of the workspace, by the git program.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeGit(const Setup& setup);

}  // namespace viv::tools
