#pragma once
// Klavis' error bodies are FastAPI's: {"detail": "text"}, or for a request that does not validate a
// list of problems, each with the place (loc), the sentence (msg) and the kind (type) that pydantic
// gives.

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/document.h"
#include "http/message.h"

namespace viv::klavis {

http::Response Detail(int status, std::string detail);
http::Response RenderError(const Error& error);
// Errors that arise before an operation is called: an unknown path, a wrong method, no boxes.
http::Response RenderRouteError(int status, std::string message, const http::Request& request);

// A 422. Each problem's location already begins with where the value came from: "body", "query" or
// "path".
http::Response RenderProblems(const std::vector<engine::Problem>& problems);

}  // namespace viv::klavis
