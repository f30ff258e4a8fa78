#pragma once
// The operator's own routes, which belong to no dialect.

#include <functional>
#include <string>
#include <vector>

#include "http/message.h"
#include "http/middleware/metrics.h"
#include "http/router.h"

namespace viv::server {

// What keeps the server from working as it should, each problem in a sentence. Does not block.
using FindProblems = std::function<std::vector<std::string>()>;
// /healthz, /readyz, /metrics. Ready means that there are no problems.
void AddOperations(http::Router& router, http::Metrics& metrics, FindProblems find_problems);

}  // namespace viv::server
