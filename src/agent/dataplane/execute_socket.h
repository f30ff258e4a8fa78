#pragma once
// The exec WebSocket: JSON text frames, the first of them execute or reconnect. The response begins
// with `started`; then come stdout and stderr with their offsets; exit or error is last. A lost
// socket detaches the client: it can attach again by the same id.

#include "agent/dataplane/command_service.h"
#include "http/message.h"

namespace viv::agent {

// Serves one client until the command has ended or the client has closed the socket. `service`
// outlives it.
Task<void> ServeExecuteSocket(CommandService& service, http::WebSocket& socket);

}  // namespace viv::agent
