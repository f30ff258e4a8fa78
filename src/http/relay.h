#pragma once
// Passes a request on to another HTTP/1.1 server over a connection that the caller made, and its
// answer back: bodies stream both ways, an upgrade (WebSocket, any protocol) becomes a two-way pipe
// of bytes. When the other side breaks off in the middle of a body, the client's connection is
// reset, so that the client never takes an incomplete response for a complete one.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "http/message.h"

namespace viv::http {

class TlsLibrary;

struct RelayOptions {
  enum class Transport { kPlain, kTls };  // TLS: to a guest's own server, its certificate unchecked
  Transport transport = Transport::kPlain;
  const TlsLibrary* tls_library = nullptr;  // &OpenSsl() of http/tls.h; needed for kTls
  std::string host;                  // replaces the Host header; empty: as the client sent it
  std::vector<std::string> dropped;  // request headers that stay here, any case
};

// `upstream` is a connected stream socket. The request's body is taken from body_stream, or body.
// kUnavailable when the other side gives no response, or none that makes sense, or the client left
// before; kInvalidArgument when the request's body is broken. The response must be sent within the
// life of `request`. Hop-by-hop headers are handled here; trailers are dropped.
Task<Result<Response>> Relay(Request& request, UniqueFd upstream, RelayOptions options);
using RelayFunction = std::function<Task<Result<Response>>(Request&, UniqueFd, RelayOptions)>;

}  // namespace viv::http
