#pragma once
// Recoup's error body: {"status": "error", "error": TEXT}, and "missing_fields" with the path of
// the first field that was wrong. A rejected key has "message" as well, which clients read too. The
// domain's errors are mapped here and nowhere else.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace viv::recoup {

http::Response Failure(int status, std::string error);
http::Response FailureOf(const Error& error);
// 400; `field` is empty when the body as a whole was wrong, and "files.0.url" within a list.
http::Response InvalidField(std::string_view field, std::string error);
http::Response Unauthorized();  // a key that nobody has
// Errors that arise before an operation is called: an unknown path, a wrong method, no boxes. Pages
// of every origin may read them.
http::Response RenderRouteError(int status, std::string message, const http::Request& request);

}  // namespace viv::recoup
