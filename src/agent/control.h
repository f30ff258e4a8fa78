#pragma once
// The plain HTTP side of the agent: health, what the host sets with /init, variables, metrics,
// logs, and the token that callers show. Errors are {"code", "message"}.

#include <functional>

#include "agent/context.h"
#include "http/message.h"
#include "http/router.h"

namespace viv::agent {

// Returns how many processes and commands are running.
using RunningCount = std::function<std::size_t()>;

// GET /health, POST /init, GET /envs, GET /metrics, GET /logs[?after=SEQUENCE], and GET /activity,
// which the host requests before it stops an idle box. The context outlives the server.
void AddControlRoutes(Context& context, http::Router& router, RunningCount running);

// Refuses requests without the right X-Access-Token, but for health, /init, which only the host can
// reach, and /files, which also takes signatures and checks for itself.
http::Middleware RequireAccessToken(const Context& context);

http::Response ControlError(int status, std::string message);

}  // namespace viv::agent
