#pragma once
// A request of the host to the bridge: one JSON-RPC message for one server, together with the
// definition by which the server is started. The message is kept as it was written, but on one
// line, because stdio servers read lines.

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "agent/process/environment.h"
#include "base/result.h"
#include "rpc/jsonrpc/message.h"

namespace viv::agent {

struct McpDefinition {
  std::string name;
  std::vector<std::string> command;
  Variables variables;
  std::string folder;
  std::string user;
  std::chrono::seconds idle{1800};  // without a call it is stopped after so long
  std::chrono::seconds start{30};   // so long may it take to answer the first message

  bool operator==(const McpDefinition&) const = default;
};

struct McpRequest {
  McpDefinition server;
  std::string version;  // the revision of MCP that the caller speaks
  std::string caller;   // tells sessions apart whose ids are alike; may be empty
  rpc::JsonRpcMessage message;
  std::string text;    // the message as written
  std::string id;      // its id as written; empty: none
  std::string params;  // its params as written; empty: none

  bool is_modern() const;
};

// {"server": {"name", "command", "variables", "folder", "user", "idle_seconds",
// "start_seconds"}, "version", "caller", "message"}.
Result<McpRequest> ReadMcpRequest(std::string_view body);

// Line breaks in valid JSON are only space between its parts.
std::string OnOneLine(std::string_view json_text);

}  // namespace viv::agent
