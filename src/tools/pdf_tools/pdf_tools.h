#pragma once
// Reads, searches, merges and cuts PDF files.

#include <memory>

#include "tools/kit/tool_server.h"
#include "tools/kit/tool_server_options.h"

namespace viv::tools {

std::unique_ptr<ToolServer> MakePdfTools(const ToolServerOptions& options);

}  // namespace viv::tools
