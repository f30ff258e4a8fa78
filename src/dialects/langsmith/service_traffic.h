#pragma once
// Traffic of services: any request, any method, WebSockets too, passed on to a port of a box for
// who may. Answered without an account, as the token is the proof. The box is woken if it sleeps.

#include <string_view>

#include "dialects/langsmith/context.h"
#include "http/message.h"
#include "http/router.h"

namespace viv::langsmith {

// By the host's name, where there is a domain, else by the path "/_svc/…". Looks at the head alone;
// all of it streams, so this is the predicate for ServerOptions::streams_body too.
bool IsServiceTraffic(std::string_view domain, const http::Request& request);

http::Handler ServiceTraffic(Context& context);  // `context` outlives the handler

// Links to files, "/_dl/{name}?token=…": to be mounted at the root. `context` outlives the router.
void AddLinkRoutes(Context& context, http::Router& router);

}  // namespace viv::langsmith
