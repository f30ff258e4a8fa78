#pragma once
// GET /files: a file's bytes, all or a range of them, as they are or as gzip.

#include "agent/context.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::agent {

// Both outlive the call; the stream of the response needs neither.
Task<http::Response> DownloadFile(Context& context, http::Request& request);

}  // namespace viv::agent
