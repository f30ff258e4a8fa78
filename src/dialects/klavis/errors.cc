#include "dialects/klavis/errors.h"

#include "base/log.h"

namespace viv::klavis {
namespace {

int HttpStatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kUnauthenticated:
      return 401;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    // The SDK repeats 429 and 5xx by itself, a POST too: an empty pool must be neither.
    case ErrorCode::kConflict:
    case ErrorCode::kLimitExceeded:
      return 409;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kInternal:
      return 500;
  }
  return 500;
}

}  // namespace

http::Response Detail(int status, std::string detail) {
  return http::Json(status, WriteJson(json::object{{"detail", std::move(detail)}}));
}

http::Response RenderError(const Error& error) {
  int status = HttpStatusOf(error.code);
  if (error.code == ErrorCode::kInternal) {
    log::Error("klavis.failed", {{"error", error.message}});
    return Detail(status, "Internal Server Error");
  }
  return Detail(status, error.message);
}

http::Response RenderProblems(const std::vector<engine::Problem>& problems) {
  json::array list;
  for (const engine::Problem& problem : problems) {
    json::object one{{"type", problem.type},
                     {"loc", problem.location},
                     {"msg", problem.message},
                     {"input", problem.input}};
    if (!problem.context.empty()) one["ctx"] = problem.context;
    list.push_back(std::move(one));
  }
  return http::Json(422, WriteJson(json::object{{"detail", std::move(list)}}));
}

}  // namespace viv::klavis
