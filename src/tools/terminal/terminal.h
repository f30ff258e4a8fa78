#pragma once
// Commands of the shell, as far as a policy allows them.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeTerminal(const ToolServerOptions& options);

}  // namespace viv::tools
