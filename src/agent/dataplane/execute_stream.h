#pragma once
// Commands over server-sent events, for clients whose only channel is plain HTTP. They cannot say
// how far they are while they read. So the response ends with `ack_required` once as much output is
// under way as may be, and the command is paused; the next request's offsets acknowledge.

#include "agent/dataplane/command_service.h"
#include "http/message.h"

namespace viv::agent {

// `service` outlives the calls.
Task<http::Response> StartStream(CommandService& service, http::Request& request);
Task<http::Response> ResumeStream(CommandService& service, http::Request& request);

}  // namespace viv::agent
