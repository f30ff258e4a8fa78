#pragma once
// What belongs to no dialect: the operator's routes, and errors before a handler is found or when
// it fails, each in the format that the clients of the path expect.

#include <functional>
#include <string>
#include <vector>

#include "http/message.h"
#include "http/middleware/metrics.h"
#include "http/router.h"

namespace viv::server {

// The dialect of a request, as far as its header tells.
enum class Dialect { kMcp, kDashboard, kE2b, kLangsmith, kRecoup, kKlavis };
Dialect DialectOf(const http::Request& request);
bool NeedsBoxes(const http::Request& request);

http::Response RenderServerError(int status, std::string message, const http::Request& request);

// What keeps the server from working as it should, each problem in a sentence. Does not block.
using FindProblems = std::function<std::vector<std::string>()>;
// /healthz, /readyz, /metrics. Ready means that there are no problems.
void AddOperations(http::Router& router, http::Metrics& metrics, FindProblems find_problems);

}  // namespace viv::server
