#pragma once
// GET and HEAD /dataplane/download: a file's bytes, all or a range of them, with the tags by which
// a client resumes and polls. Never compressed: ranges and strong tags are of the bytes themselves.

#include "agent/context.h"
#include "base/task.h"
#include "http/message.h"

namespace viv::agent {

// Both outlive the call; the stream of the response needs neither.
Task<http::Response> DownloadFromDataPlane(Context& context, http::Request& request);

}  // namespace viv::agent
