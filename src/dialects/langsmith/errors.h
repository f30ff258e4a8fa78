#pragma once
// LangSmith's error bodies: {"detail": {"error": TYPE, "message": TEXT}}, and for a field that is
// wrong {"detail": [{"loc", "msg", "type"}]}. The domain's errors are mapped here and nowhere else.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "http/middleware/auth.h"

namespace viv::langsmith {

http::Response Failure(int status, std::string_view type, std::string message);
// 422, type "value_error": `where` is the path of the field without "body": {"proxy_config",
// "rules"}.
http::Response InvalidField(const std::vector<std::string>& where, std::string message);
// kNotFound 404 "ResourceNotFound", kConflict 409 "Conflict", kLimitExceeded 429 "QuotaExceeded",
// kInvalidArgument 422, kUnavailable 503, kPermissionDenied 403 "Forbidden"; else 500, whose reason
// is in the log only.
http::Response FailureOf(const Error& error);
http::Response RenderAuthFailure(http::AuthFailure failure);  // 401 "Unauthorized"
// Errors that arise before an operation is called: an unknown path, a wrong method, no boxes.
http::Response RenderRouteError(int status, std::string message, const http::Request& request);

}  // namespace viv::langsmith
