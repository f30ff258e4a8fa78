#pragma once
// E2B's error body is {"code": <the HTTP status>, "message": "…"} everywhere on the control plane;
// its clients look at the code in the body.

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "http/message.h"
#include "http/middleware/auth.h"

namespace viv::e2b {

// As the vendor's texts quote what was given: "a\"b\n", with Go's escapes.
std::string Quoted(std::string_view text);

http::Response Failure(int status, std::string message);
// With a reason for programs, where the vendor has one.
http::Response Failure(int status, std::string message, std::string_view error_code);
http::Response RenderError(const Error& error);
http::Response RenderAuthFailure(http::AuthFailure failure);
// Errors that arise before an operation is called: an unknown path, a wrong method, no boxes.
http::Response RenderRouteError(int status, std::string message, const http::Request& request);

// The body alone, for places that carry errors inside another answer.
json::object ErrorBody(int status, std::string message);
json::object ErrorBody(const Error& error);

// The same about one sandbox: what is not there, or not the caller's, is told in the words that the
// clients know.
http::Response RenderSandboxError(const Error& error, std::string_view id);

}  // namespace viv::e2b
