#pragma once
// Runs one command line, from the check of the policy to the result.

#include <string>

#include "tools/kit/tool_server.h"
#include "tools/terminal/policy.h"

namespace viv::tools::terminal {

// `folder` is where it runs, without links. Every failure is an answer that says so.
ToolResult RunCommand(const Policy& policy,
                      const std::string& folder,
                      const std::string& command,
                      const CallContext& context);

}  // namespace viv::tools::terminal
