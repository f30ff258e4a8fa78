#pragma once
// Links to one file of one box that need no key: whoever has the link may read the file. The signed
// token contains everything (box, path, content type, disposition, end), so that a link cannot be
// changed, and nothing is stored.

#include "base/task.h"
#include "dialects/langsmith/context.h"
#include "http/message.h"

namespace viv::langsmith {

Task<http::Response> MakeDownloadLink(Context& context, http::Request& request);
Task<http::Response> FollowDownloadLink(Context& context, http::Request& request);

}  // namespace viv::langsmith
