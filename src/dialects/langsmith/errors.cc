#include "dialects/langsmith/errors.h"

#include "accounts/budgets.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kErrorMessageBytesMax = 4096;

// Internal errors are logged; the client gets the id of the log entry.
http::Response InternalFailure(const Error& error) {
  const std::string error_id = RandomHex(16);
  log::Error("langsmith.failed", {{"error_id", error_id}, {"error", error.message}});
  json::object detail{{"error", "InternalError"},
                      {"message", "an internal error: the server's log has more"},
                      {"error_id", error_id}};
  return http::Json(500, WriteJson(json::object{{"detail", std::move(detail)}}));
}

// The SDK recognizes an exhausted quota by the words cpu, memory and storage; "sandbox limit" is
// the number of sandboxes.
std::string QuotaMessage(const Error& error) {
  switch (accounts::ExceededBudget(error).value_or(accounts::Budget::kBoxes)) {
    case accounts::Budget::kCpus:
    case accounts::Budget::kMemoryBytes:
    case accounts::Budget::kMemoryUsedBytes:
    case accounts::Budget::kDiskBytes:
      return error.message;
    default:
      return "sandbox count limit: " + error.message;
  }
}

std::string_view TypeOfStatus(int status) {
  switch (status) {
    case 404:
      return "ResourceNotFound";
    case 405:
      return "MethodNotAllowed";
    case 503:
      return "ServiceUnavailable";
    default:
      return status < 500 ? "InvalidRequest" : "InternalError";
  }
}

}  // namespace

http::Response Failure(int status, std::string_view type, std::string message) {
  json::object detail;
  detail["error"] = json::string(type);
  detail["message"] = Printable(message, kErrorMessageBytesMax);
  json::object body;
  body["detail"] = std::move(detail);
  return http::Json(status, WriteJson(body));
}

http::Response InvalidField(const std::vector<std::string>& where, std::string message) {
  json::array place = {"body"};
  for (const std::string& name : where) place.emplace_back(Printable(name));
  json::object problem;
  problem["loc"] = std::move(place);
  problem["msg"] = Printable(message, kErrorMessageBytesMax);
  problem["type"] = "value_error";
  json::object body;
  body["detail"] = json::array({std::move(problem)});
  return http::Json(422, WriteJson(body));
}

http::Response FailureOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return Failure(404, "ResourceNotFound", error.message);
    case ErrorCode::kConflict:
      return Failure(409, "Conflict", error.message);
    case ErrorCode::kLimitExceeded:
      return Failure(429, "QuotaExceeded", QuotaMessage(error));
    case ErrorCode::kInvalidArgument:
      return Failure(422, "InvalidRequest", error.message);
    case ErrorCode::kUnauthenticated:
      return Failure(401, "Unauthorized", error.message);
    case ErrorCode::kPermissionDenied:
      return Failure(403, "Forbidden", error.message);
    case ErrorCode::kUnavailable:
      return Failure(503, "ServiceUnavailable", error.message);
    case ErrorCode::kInternal:
      break;
  }
  return InternalFailure(error);
}

http::Response RenderAuthFailure(http::AuthFailure failure) {
  if (failure == http::AuthFailure::kTooManyRequests)
    return Failure(429, "RateLimitExceeded", std::string(http::kTooManyRequests));
  return Failure(401, "Unauthorized",
                 failure == http::AuthFailure::kMissing
                     ? "an API key is missing: send it as X-Api-Key"
                     : "the API key is not valid");
}

http::Response RenderRouteError(int status, std::string message, const http::Request&) {
  return Failure(status, TypeOfStatus(status), std::move(message));
}

}  // namespace viv::langsmith
