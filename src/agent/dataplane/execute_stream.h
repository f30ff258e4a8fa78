#pragma once
// Commands over server-sent events, for clients whose only channel is plain HTTP. They cannot
// acknowledge output while they read. So the response ends with `ack_required` once the limit of
// unacknowledged output is reached, and the command is paused; the offsets of the next request
// acknowledge the output.

#include "agent/dataplane/command_service.h"
#include "http/message.h"

namespace viv::agent {

// `service` outlives the calls.
Task<http::Response> StartStream(CommandService& service, http::Request& request);
Task<http::Response> ResumeStream(CommandService& service, http::Request& request);

}  // namespace viv::agent
