#pragma once
// The responses that the bridge makes itself: to the handshake, from the server's InitializeResult,
// and errors.

#include <string>
#include <string_view>

#include "agent/mcp/request.h"

namespace viv::agent {

// The responses to `initialize`, and to `server/discover` of the modern revision.
// `initialize_result` is the text of the server's InitializeResult.
std::string InitializeResponse(const McpRequest& request, std::string_view initialize_result);
std::string DiscoverResponse(const McpRequest& request, std::string_view initialize_result);
std::string PingResponse(const McpRequest& request);

std::string ErrorResponse(const McpRequest& request,
                          rpc::JsonRpcCode code,
                          std::string_view message);

}  // namespace viv::agent
