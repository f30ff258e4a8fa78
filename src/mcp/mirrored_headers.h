#pragma once
// In the modern revision, headers repeat parts of the body, for proxies that route by them: its
// method in Mcp-Method, and in Mcp-Name what the method is applied to. Internal to this module.

#include "base/result.h"
#include "http/message.h"
#include "rpc/jsonrpc/message.h"

namespace viv::mcp {

// Whether the headers that are there say the same as the body; the error is for the client.
Status CheckMirroredHeaders(const http::Request& request, const rpc::JsonRpcMessage& message);

}  // namespace viv::mcp
