#pragma once
// Runs a snippet in any language whose interpreter is there.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeCodeRunner(const Setup& setup);

}  // namespace viv::tools
