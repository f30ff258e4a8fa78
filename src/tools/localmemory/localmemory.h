#pragma once
// A knowledge graph of entities, relations and observations, kept in a file of JSON lines.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakeLocalMemory(const Setup& setup);

}  // namespace viv::tools
