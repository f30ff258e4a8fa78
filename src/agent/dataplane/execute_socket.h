#pragma once
// The exec WebSocket: JSON text frames, the first of them execute or reconnect. The response begins
// with `started`; then come stdout and stderr with their offsets; exit or error is last. A socket
// that is lost is a detach: the same id finds the command again.

#include "agent/dataplane/command_service.h"
#include "http/message.h"

namespace viv::agent {

// Talks to one client until the command has ended or the client is gone. `service` outlives it.
Task<void> ServeExecuteSocket(CommandService& service, http::WebSocket& socket);

}  // namespace viv::agent
