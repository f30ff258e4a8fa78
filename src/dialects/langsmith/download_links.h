#pragma once
// Links to one file of one box that need no key: whoever has the link may read the file. All that
// it does is in its signed token (box, path, content type, disposition, end), so it cannot be
// pointed at anything else, and nothing is stored.

#include "base/task.h"
#include "dialects/langsmith/context.h"
#include "http/message.h"

namespace viv::langsmith {

Task<http::Response> MakeDownloadLink(Context& context, http::Request& request);
Task<http::Response> FollowDownloadLink(Context& context, http::Request& request);

}  // namespace viv::langsmith
