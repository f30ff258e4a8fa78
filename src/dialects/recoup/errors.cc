#include "dialects/recoup/errors.h"

#include "accounts/budgets.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "dialects/recoup/cors.h"
#include "http/status.h"

namespace viv::recoup {
namespace {

constexpr std::size_t kErrorBytesMax = 4096;

json::object ErrorBody(const std::string& error) {
  return {{"status", "error"}, {"error", Printable(error, kErrorBytesMax)}};
}

}  // namespace

http::Response Failure(int status, std::string error) {
  return http::Json(status, WriteJson(ErrorBody(error)));
}

http::Response FailureOf(const Error& error) {
  if (error.code == ErrorCode::kInternal) {
    log::Error("recoup.failed", {{"error", error.message}});
    return Failure(500, "Internal server error");
  }
  if (accounts::ExceededBudget(error)) return Failure(403, error.message);
  return Failure(http::StatusOf(error.code), error.message);
}

http::Response InvalidField(std::string_view field, std::string error) {
  json::array path;
  if (!field.empty())
    for (std::string_view step : Split(field, '.')) path.emplace_back(Printable(step));
  json::object body = ErrorBody(error);
  body["missing_fields"] = std::move(path);
  return http::Json(400, WriteJson(body));
}

http::Response Unauthorized() {
  json::object body = ErrorBody("Unauthorized");
  body["message"] = "Unauthorized";
  return http::Json(401, WriteJson(body));
}

http::Response RenderRouteError(int status, std::string message, const http::Request&) {
  http::Response response = Failure(status, std::move(message));
  AllowAnyOrigin(response);
  return response;
}

}  // namespace viv::recoup
