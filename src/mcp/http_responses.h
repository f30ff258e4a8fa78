#pragma once
// MCP messages as HTTP responses: one as JSON, several as server-sent events. Internal to this
// module.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "mcp/endpoint.h"
#include "mcp/origin.h"
#include "rpc/jsonrpc/message.h"

namespace viv::mcp {

http::Response ErrorResponse(int status,
                             rpc::JsonRpcCode code,
                             std::string message,
                             const json::value& id = nullptr);

http::Response RefuseOrigin(const OriginPolicy& policy, const http::Request& request);

// The revision the client speaks: its header, or the one before there was a header.
std::string_view VersionOf(const http::Request& request);
Caller CallerFrom(const http::Request& request);

// Reads a message that was too large to read before it was known whom it is for. What to answer
// instead when that fails.
Task<std::optional<http::Response>> LoadMessage(http::Request& request, const Endpoint& endpoint);

// Whether the Accept header lets us answer with `type`. A client that sends none takes anything.
bool Accepts(const http::Request& request, std::string_view type);

std::string EventText(std::string message);  // as a server-sent event
http::Response Events(std::vector<std::string> messages);

// The rest of a response, as events: `messages` first. What goes wrong is told as the response to
// the request of that id.
struct StreamedReply {
  json::value id;
  std::vector<std::string> messages;
  std::shared_ptr<ReplyStream> stream;
};
http::Response StreamEvents(StreamedReply events);

// The response alone, for clients that want no events; empty when there is none.
Task<std::string> AwaitResponse(json::value id, std::shared_ptr<ReplyStream> stream);
// The next message of a live response, or the failure as such.
Task<ReplyStream::Line> NextLine(json::value id, std::shared_ptr<ReplyStream> stream);

}  // namespace viv::mcp
