#pragma once
// Traffic: requests for what runs inside a box, passed on to its agent (port 49983) or to any other
// port. Decided before any path of the control plane, and answered without an account: whoever
// knows the id may talk to a public port, the agent asks for its own token.

#include "dialects/e2b/context.h"
#include "http/message.h"

namespace viv::e2b {

// By the host's name, the E2b-Sandbox-Id header, or the signature of a link to a file. Looks at the
// head alone and costs next to nothing. All traffic streams, so this is the predicate for
// ServerOptions::streams_body too.
bool IsTraffic(const http::Request& request);

// `context` outlives the handler.
http::Handler Traffic(Context& context);

}  // namespace viv::e2b
