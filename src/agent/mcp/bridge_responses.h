#pragma once
// What the bridge answers itself: the handshake from the greeting that the server once gave, and
// failures.

#include <string>
#include <string_view>

#include "agent/mcp/request.h"

namespace viv::agent {

// To `initialize`, and to `server/discover` of the modern revision. `greeting` is the text of the
// server's InitializeResult.
std::string InitializeResponse(const McpRequest& request, std::string_view initialize_result);
std::string DiscoverResponse(const McpRequest& request, std::string_view initialize_result);
std::string PingResponse(const McpRequest& request);

std::string ErrorResponse(const McpRequest& request,
                          rpc::JsonRpcCode code,
                          std::string_view message);

}  // namespace viv::agent
