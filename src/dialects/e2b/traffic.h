#pragma once
// Traffic: requests to what runs inside a box, which are forwarded to its agent (port 49983) or to
// another port. It is recognized before any path of the control plane and needs no account: whoever
// knows the id may use a public port, and the agent checks its own token.

#include "dialects/e2b/context.h"
#include "http/message.h"

namespace viv::e2b {

// By the host name, the E2b-Sandbox-Id header, or the signature of a link to a file. Reads the
// header only. All traffic is streamed, so this is the predicate for ServerOptions::streams_body
// too.
bool IsTraffic(const http::Request& request);

// `context` outlives the handler.
http::Handler Traffic(Context& context);

}  // namespace viv::e2b
