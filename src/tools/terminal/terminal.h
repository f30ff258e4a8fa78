#pragma once
// Commands of the shell, as far as a policy allows them.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeTerminal(const Setup& setup);

}  // namespace viv::tools
