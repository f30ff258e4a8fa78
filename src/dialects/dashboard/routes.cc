#include "base/log.h"
#include "dialects/dashboard/context.h"

namespace viv::dashboard {
namespace {

struct Shape {
  int status;
  std::string_view code;
};

Shape ShapeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return {400, "invalid_argument"};
    case ErrorCode::kUnauthenticated:
      return {401, "unauthenticated"};
    case ErrorCode::kPermissionDenied:
      return {403, "permission_denied"};
    case ErrorCode::kNotFound:
      return {404, "not_found"};
    case ErrorCode::kConflict:
      return {409, "conflict"};
    case ErrorCode::kLimitExceeded:
      return {409, "limit_exceeded"};
    case ErrorCode::kUnavailable:
      return {503, "unavailable"};
    case ErrorCode::kInternal:
      return {500, "internal"};
  }
  return {500, "internal"};
}

std::string_view CodeOfStatus(int status) {
  switch (status) {
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 503:
      return "unavailable";
    default:
      return status < 500 ? "bad_request" : "internal";
  }
}

}  // namespace

http::Response Failure(int status, std::string_view code, std::string message) {
  json::object body{{"error", {{"code", code}, {"message", std::move(message)}}}};
  return http::Json(status, WriteJson(body));
}

http::Response RenderError(const Error& error) {
  Shape shape = ShapeOf(error.code);
  if (error.code == ErrorCode::kInternal) {
    log::Error("api.failed", {{"error", error.message}});
    return Failure(shape.status, shape.code, "Internal error; the server's log has the reason");
  }
  if (accounts::ExceededBudget(error)) shape.status = 403;
  return Failure(shape.status, shape.code, error.message);
}

http::Response RenderRouteError(int status, std::string message, const http::Request&) {
  return Failure(status, CodeOfStatus(status), std::move(message));
}

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router router;
  http::AuthRenderer render = [](http::AuthFailure failure) {
    if (failure == http::AuthFailure::kTooManyRequests)
      return Failure(429, "too_many_requests", std::string(http::kTooManyRequests));
    bool missing = failure == http::AuthFailure::kMissing;
    return Failure(401, "unauthenticated",
                   missing ? "Send your key as 'Authorization: Bearer KEY' or 'X-API-Key: KEY'"
                           : "This key is not valid");
  };
  auto add = [&](std::string_view method, std::string_view path,
                 Task<http::Response> (*handler)(Context&, http::Request&),
                 http::BodyLimits limits = {}) {
    http::Middleware auth = http::Auth(keys, render, std::move(limits));
    router.Add(method, path, auth([&context, handler](http::Request& request) {
                 return handler(context, request);
               }));
  };
  add("GET", "/api/viv/worlds/{id}", ShowWorld);
  add("GET", "/api/viv/worlds/{id}/diff", DiffWorld);
  add("POST", "/api/viv/worlds/{id}/verify", VerifyWorld);
  add("POST", "/api/viv/worlds/{id}/fork", ForkWorld);
  add("GET", "/api/viv/worlds/{id}/dump", DumpWorld);
  add("POST", "/api/viv/worlds/{id}/load", LoadWorld, http::DocumentLimits());
  add("PUT", "/api/viv/worlds/{id}/faults", SetFaults);
  add("GET", "/api/viv/worlds/{id}/faults", GetFaults);
  add("PUT", "/api/viv/worlds/{id}/clock", SetClock);
  add("GET", "/api/viv/worlds/{id}/clock", GetClock);
  add("POST", "/api/viv/keys", CreateKey);
  add("GET", "/api/viv/keys", ListKeys);
  add("DELETE", "/api/viv/keys/{id}", RevokeKey);
  add("POST", "/api/viv/keys/{id}/rotate", RotateKey);
  add("POST", "/api/viv/organizations", CreateOrganization);
  add("GET", "/api/viv/organizations", ListOrganizations);
  add("POST", "/api/viv/organizations/{organization}/accounts", MoveAccount);
  add("POST", "/api/viv/accounts", CreateAccount);
  add("GET", "/api/viv/accounts", ListAccounts);
  add("GET", "/api/viv/accounts/{account}/limits", GetLimits);
  add("PATCH", "/api/viv/accounts/{account}/limits", ChangeLimits);
  add("DELETE", "/api/viv/accounts/{account}/limits", ClearLimits);
  add("GET", "/api/viv/accounts/{account}/usage", GetUsage);
  add("GET", "/api/viv/sandboxes", ListSandboxes);
  add("GET", "/api/viv/apps", ListApps);
  add("GET", "/api/viv/boxes/{id}/egress", ShowEgress);
  return router;
}

}  // namespace viv::dashboard
