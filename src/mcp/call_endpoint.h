#pragma once
// Calls a method of an MCP server for a caller that does not speak MCP.

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"
#include "mcp/endpoint.h"

namespace viv::mcp {

// Returns the text of the result, which is a JSON object. The error is the server's, or says why
// there is no response. `client` is the connection of the waiting client; it may be nullptr and
// outlives the call.
Task<Result<std::string>> CallEndpoint(EndpointPtr endpoint,
                                       std::string method,
                                       json::object params,
                                       http::ClientConnection* client);

// All tools of the server, page after page, as tools/list gives them.
Task<Result<json::array>> ListEndpointTools(EndpointPtr endpoint, http::ClientConnection* client);

}  // namespace viv::mcp
