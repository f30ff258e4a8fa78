#pragma once
// The server's side of a WebSocket, over any transport. Internal to the server.

#include "http/message.h"
#include "http/transport.h"

namespace viv::http {

// All of it outlives the call.
struct WebSocketSetup {
  const Request& request;    // a complete handshake
  const Response& response;  // its headers are sent with the 101
  Transport& transport;
  Transport::Duration write_timeout;
  Transport::Duration idle_timeout;  // a ping goes out after half of it
};

// Completes the handshake, runs response.web_socket and closes. Ends early when the coroutine is
// cancelled.
Task<void> ServeWebSocket(WebSocketSetup setup);

}  // namespace viv::http
