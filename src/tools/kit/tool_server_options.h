#pragma once
// The options that a server is started with.

#include <string>

namespace viv::tools {

struct ToolServerOptions {
  std::string workspace = "/data";  // absolute, without a slash at its end
  std::string profile;              // "", "MCP_Atlas", "Toolathlon" or "MCP_Mark"
};

}  // namespace viv::tools
