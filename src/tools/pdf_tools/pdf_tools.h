#pragma once
// Reads, searches, merges and cuts PDF files.

#include <memory>

#include "tools/kit/setup.h"
#include "tools/kit/tool_server.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakePdfTools(const Setup& setup);

}  // namespace viv::tools
