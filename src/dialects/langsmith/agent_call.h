#pragma once
// Forwards requests to a box's agent: the box is resumed if necessary, and the agent's own token
// replaces the credentials of the sender.

#include <optional>
#include <string>

#include "base/task.h"
#include "boxes/boxes.h"
#include "dialects/langsmith/context.h"
#include "http/message.h"

namespace viv::langsmith {

// The error response when the box does not run and traffic may not wake it; nullopt when it can be
// dialled.
std::optional<http::Response> RefuseIfNotReady(const boxes::Box& box, const http::Request& request);

// `target` is what the agent is asked for: "/dataplane/glob?x=1".
Task<http::Response> CallAgent(Context& context,
                               http::Request& request,
                               boxes::BoxPtr box,
                               std::string target);

// Whether the client asks for another protocol, such as WebSocket.
bool IsUpgradeRequest(const http::Request& request);

}  // namespace viv::langsmith
