#pragma once
// POST /dataplane/execute: runs a command, and responds with its output once it has ended. Of each
// stream the newest 4 MiB are returned, because the end of a long output says more than its
// beginning.

#include "agent/dataplane/command_service.h"
#include "http/message.h"

namespace viv::agent {

// When the client hangs up meanwhile, the command is killed. `service` outlives the call.
Task<http::Response> ExecuteOnce(CommandService& service, http::Request& request);

// The HTTP response for the failure.
http::Response RenderCommandFailure(const CommandFailure& failure);

}  // namespace viv::agent
