#pragma once
// What the bridge answers itself: the handshake from the greeting that the server once gave, and
// failures.

#include <string>
#include <string_view>

#include "agent/mcp/request.h"

namespace viv::agent {

// To `initialize`, and to `server/discover` of the modern revision. `greeting` is the text of the
// server's InitializeResult.
std::string AnswerInitialize(const McpRequest& request, std::string_view greeting);
std::string AnswerDiscover(const McpRequest& request, std::string_view greeting);
std::string AnswerPing(const McpRequest& request);

std::string AnswerFailure(const McpRequest& request,
                          rpc::JsonRpcCode code,
                          std::string_view message);

}  // namespace viv::agent
