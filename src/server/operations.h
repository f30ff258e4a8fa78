#pragma once
// What belongs to no dialect: the operator's own routes, and errors that arise before a handler is
// found or because it failed, each in the shape that the path's clients know.

#include <functional>
#include <string>
#include <vector>

#include "http/message.h"
#include "http/middleware/metrics.h"
#include "http/router.h"

namespace viv::server {

// Whose client a request comes from, as far as its head tells.
enum class Dialect { kMcp, kDashboard, kE2b, kLangsmith, kRecoup, kKlavis };
Dialect DialectOf(const http::Request& request);
bool NeedsBoxes(const http::Request& request);

http::Response RenderServerError(int status, std::string message, const http::Request& request);

// Why the server cannot do its work as it should, each in a sentence; quick.
using FindProblems = std::function<std::vector<std::string>()>;
// /healthz, /readyz, /metrics. Ready means without troubles.
void AddOperations(http::Router& router, http::Metrics& metrics, FindProblems find_problems);

}  // namespace viv::server
