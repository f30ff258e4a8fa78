#pragma once
// Traffic of services: requests of any method, and WebSockets, are forwarded to a port of a box if
// the caller may use it. No account is needed, because the token authorizes the caller. A paused
// box is resumed.

#include <string_view>

#include "dialects/langsmith/context.h"
#include "http/message.h"
#include "http/router.h"

namespace viv::langsmith {

// By the host name, if there is a domain, else by the path "/_svc/…". Reads the header only; all of
// this traffic is streamed, so this is the predicate for ServerOptions::streams_body too.
bool IsServiceTraffic(std::string_view domain, const http::Request& request);

http::Handler ServiceTraffic(Context& context);  // `context` outlives the handler

}  // namespace viv::langsmith
