#pragma once
// Responses to traffic that does not reach a box: JSON for programs, a small page for browsers. Any
// origin may read them, so that a page can see the error.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace viv::e2b {

// The box was removed, is paused without wake-up, or never existed: clients take this for "not
// running".
http::Response BoxNotFound(const http::Request& request, const std::string& id);
// A box that could not be reached: not found; or it is there but cannot be served now, for its
// account's budget or for the server's limits, and a client must not take it for gone.
http::Response DialFailed(const http::Request& request, const std::string& id, const Error& error);
http::Response PortClosed(const http::Request& request, const std::string& id, std::uint16_t port);
http::Response TrafficTokenRefused(const http::Request& request,
                                   const std::string& id,
                                   bool is_missing);
http::Response InternalRoute(const http::Request& request);
http::Response AgentTokenRefused(std::string message);

// Whether this is a CORS preflight.
bool IsPreflight(const http::Request& request);
http::Response RenderPreflight(const http::Request& request);
// The headers that let a page of any origin use the agent; those that are there stay.
void AllowAnyOrigin(http::Response& response);

}  // namespace viv::e2b
