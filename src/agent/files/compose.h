#pragma once
// POST /files/compose: concatenates several files into one and removes them.

#include "agent/context.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::agent {

// Both outlive the call.
Task<http::Response> ComposeFiles(Context& context, http::Request& request);

}  // namespace viv::agent
