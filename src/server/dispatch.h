#pragma once
// From a request to its handler, and what is answered when there is none or it fails: each path in the shape its clients know.

#include "http/message.h"
#include "http/middleware/metrics.h"
#include "http/router.h"

namespace viv::server {

http::Handler Dispatch(const http::Router& router);  // `router` outlives it
http::Response RenderServerError(int status, std::string message, const http::Request& request);
void AddOperations(http::Router& router, http::Metrics& metrics);  // /healthz, /readyz, /metrics, /

}  // namespace viv::server
