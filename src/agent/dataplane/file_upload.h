#pragma once
// POST /dataplane/upload: one file, as the part `file` of a form.

#include "agent/context.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::agent {

// Both outlive the call.
Task<http::Response> UploadToDataPlane(Context& context, http::Request& request);

}  // namespace viv::agent
