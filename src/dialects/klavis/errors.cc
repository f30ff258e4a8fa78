#include "dialects/klavis/errors.h"

#include "accounts/budgets.h"
#include "base/log.h"
#include "http/status.h"

namespace viv::klavis {
namespace {

// The SDK repeats 429 and 5xx by itself, a POST too: an empty pool must be neither, nor what the
// account may not have.
int HttpStatusOf(const Error& error) {
  if (accounts::ExceededBudget(error)) return 403;
  return error.code == ErrorCode::kLimitExceeded ? 409 : http::StatusOf(error.code);
}

}  // namespace

http::Response Detail(int status, std::string detail) {
  return http::Json(status, WriteJson(json::object{{"detail", std::move(detail)}}));
}

http::Response RenderError(const Error& error) {
  int status = HttpStatusOf(error);
  if (error.code == ErrorCode::kInternal) {
    log::Error("klavis.failed", {{"error", error.message}});
    return Detail(status, "Internal Server Error");
  }
  return Detail(status, error.message);
}

http::Response RenderRouteError(int status, std::string message, const http::Request&) {
  return Detail(status, std::move(message));
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
