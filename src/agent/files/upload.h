#pragma once
// POST /files: one file as it is, or several as a form.

#include "agent/context.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::agent {

// Both outlive the call.
Task<http::Response> UploadFiles(Context& context, http::Request& request);

}  // namespace viv::agent
