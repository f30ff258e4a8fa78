#pragma once
// A knowledge graph of entities, relations and observations, kept in a file of JSON lines.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeLocalMemory(const ToolServerOptions& options);

}  // namespace viv::tools
