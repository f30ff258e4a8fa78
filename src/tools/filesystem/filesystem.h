#pragma once
// Reading, writing, editing and searching files of the workspace.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeFilesystem(const Setup& setup);

}  // namespace viv::tools
