#pragma once
// Asks an MCP server something on behalf of a caller that speaks no MCP itself.

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"
#include "mcp/endpoint.h"

namespace viv::mcp {

// The text of the result, which is a JSON object. The error is the one the server answered with, or
// says why there is no response. `client`, whoever waits, may be nullptr and outlives the call.
Task<Result<std::string>> CallEndpoint(EndpointPtr endpoint,
                                       std::string method,
                                       json::object params,
                                       http::ClientConnection* client);

// All tools of the server, page after page, as tools/list gives them.
Task<Result<json::array>> ListEndpointTools(EndpointPtr endpoint, http::ClientConnection* client);

}  // namespace viv::mcp
