#pragma once
// The server's side of a WebSocket, over either kind of stream. Internal to the server.

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "http/message.h"
#include "http/transport.h"

namespace viv::http {

// All of it outlives the call.
struct WebSocketSetup {
  const Request& request;    // a complete handshake
  const Response& response;  // its headers are sent with the 101
  Transport& deadline;
  Transport::Duration write_timeout;
};

// Shakes hands, runs response.web_socket and closes. Ends early when the coroutine is cancelled.
Task<void> ServeWebSocket(asio::ip::tcp::socket& stream, WebSocketSetup setup);
Task<void> ServeWebSocket(asio::ssl::stream<asio::ip::tcp::socket>& stream, WebSocketSetup setup);

}  // namespace viv::http
