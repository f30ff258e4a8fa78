#pragma once
// Serves a ToolServer on a pair of descriptors: one JSON-RPC message a line, as MCP's stdio
// transport asks. Calls run on threads, so that a slow tool does not hold up another; answers go
// out whole, in the order in which they are ready.

#include "tools/kit/tool_server.h"

namespace viv::tools {

// Returns when the input ends and every call has been answered: the exit code.
int ServeStdio(ToolServer& server, int input, int output);

}  // namespace viv::tools
