#pragma once
// Counts requests by method and class of status, and how long they took to be answered. Labels come
// from fixed lists: what a client sends must not grow the registry.

#include "http/message.h"
#include "http/middleware/metrics.h"

namespace viv::http {

// `metrics` outlives the handlers.
Middleware RequestMetrics(Metrics& metrics);

}  // namespace viv::http
