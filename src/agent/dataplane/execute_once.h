#pragma once
// POST /dataplane/execute: runs a command and answers with all it wrote once it has ended. Of each
// stream the newest 4 MiB are told, for the end of a long output says more than its beginning.

#include "agent/dataplane/command_service.h"
#include "http/message.h"

namespace viv::agent {

// A client that hangs up meanwhile takes the command with it. `service` outlives the call.
Task<http::Response> ExecuteOnce(CommandService& service, http::Request& request);

// The status that says the same as the failure.
http::Response RenderCommandFailure(const CommandFailure& failure);

}  // namespace viv::agent
