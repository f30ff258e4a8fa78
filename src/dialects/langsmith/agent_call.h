#pragma once
// The way to a box's agent: the box is found ready or woken, and the request goes on with the
// agent's own token in place of whatever its sender proved himself by.

#include <optional>
#include <string>

#include "base/task.h"
#include "boxes/boxes.h"
#include "dialects/langsmith/context.h"
#include "http/message.h"

namespace viv::langsmith {

// What is answered when neither it runs nor traffic may wake it; nothing when it is worth dialling.
std::optional<http::Response> RefuseIfNotReady(const boxes::Box& box, const http::Request& request);

// `target` is what the agent is asked for: "/dataplane/glob?x=1".
Task<http::Response> CallAgent(Context& context,
                               http::Request& request,
                               boxes::BoxPtr box,
                               std::string target);

// Whether the client wants to leave HTTP, as for a WebSocket.
bool IsUpgradeRequest(const http::Request& request);

}  // namespace viv::langsmith
