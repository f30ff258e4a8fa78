#include "server/operations.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "dialects/dashboard/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/klavis/errors.h"
#include "dialects/langsmith/errors.h"
#include "dialects/recoup/cors.h"
#include "dialects/recoup/errors.h"
#include "rpc/jsonrpc/message.h"

namespace viv::server {
namespace {

Task<http::Response> Healthy(http::Request& /*request*/) {
  co_return http::Json(200, R"({"status":"ok"})");
}

http::Response Readiness(const std::vector<std::string>& problems) {
  if (problems.empty()) return http::Json(200, R"({"status":"ok"})");
  json::object body;
  body["status"] = "not ready";
  body["reasons"] = json::array(problems.begin(), problems.end());
  return http::Json(503, WriteJson(body));
}

bool StartsWithOne(std::string_view path, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes)
    if (path.starts_with(prefix)) return true;
  return false;
}

// "/{server}/mcp" and "/mcp/{server}", and the two paths of the older transport below each.
bool IsMcp(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.starts_with("/mcp/")) return true;
  const std::size_t last = path.rfind('/');
  if (last == std::string_view::npos || last == 0 || path.rfind('/', last - 1) != 0) return false;
  const std::string_view name = path.substr(last + 1);
  return name == "mcp" || name == "sse" || name == "messages";
}

// Below "/v2/sandboxes/" stand sandboxes of E2B by their ids, and all of LangSmith.
bool IsE2bId(std::string_view segment) {
  constexpr std::size_t kIdBytes = 21;
  const std::string_view id = segment.substr(0, segment.find('-'));
  return id.size() == kIdBytes && id.front() == 'i';
}

Dialect DialectBelowSandboxes(std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  const std::string_view first = rest.substr(0, rest.find('/'));
  return first.empty() || IsE2bId(first) ? Dialect::kE2b : Dialect::kLangsmith;
}

std::string_view DashboardCode(int status) {
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

std::string_view LangsmithType(int status) {
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

http::Response McpError(int status, std::string message) {
  rpc::JsonRpcCode code = rpc::JsonRpcCode::kInternalError;
  if (status == 404) code = rpc::JsonRpcCode::kNotFound;
  if (status == 413 || status == 400) code = rpc::JsonRpcCode::kInvalidRequest;
  return http::Json(status, rpc::JsonRpcFailure(nullptr, {code, std::move(message)}));
}

}  // namespace

Dialect DialectOf(const http::Request& request) {
  const std::string_view path = request.path;
  if (request.headers.Has("E2b-Sandbox-Id")) return Dialect::kE2b;
  if (path.starts_with("/api/viv/")) return Dialect::kDashboard;
  if (StartsWithOne(path, {"/langsmith/", "/api/v2/sandboxes", "/api/v1/", "/_svc/", "/_dl/"}))
    return Dialect::kLangsmith;
  if (StartsWithOne(path, {"/recoup/", "/api/sandbox", "/api/tasks/", "/api/admins/"}))
    return Dialect::kRecoup;
  constexpr std::string_view kShared = "/v2/sandboxes";
  if (path.starts_with(kShared)) return DialectBelowSandboxes(path.substr(kShared.size()));
  // Klavis has the two singular ones; all other paths of sandboxes and templates are E2B's.
  if (StartsWithOne(path, {"/e2b/", "/sandboxes", "/templates", "/v2/templates", "/v3/templates",
                           "/snapshots", "/volumes", "/secrets", "/teams", "/events", "/api-keys"}))
    return Dialect::kE2b;
  return IsMcp(path) ? Dialect::kMcp : Dialect::kKlavis;
}

bool NeedsBoxes(const http::Request& request) {
  const Dialect dialect = DialectOf(request);
  return dialect == Dialect::kE2b || dialect == Dialect::kLangsmith || dialect == Dialect::kRecoup;
}

http::Response RenderServerError(int status, std::string message, const http::Request& request) {
  switch (DialectOf(request)) {
    case Dialect::kMcp:
      return McpError(status, std::move(message));
    case Dialect::kDashboard:
      return dashboard::Failure(status, DashboardCode(status), std::move(message));
    case Dialect::kE2b:
      return e2b::Failure(status, std::move(message));
    case Dialect::kLangsmith:
      return langsmith::Failure(status, LangsmithType(status), std::move(message));
    case Dialect::kRecoup: {
      http::Response response = recoup::Failure(status, std::move(message));
      recoup::AllowAnyOrigin(response);
      return response;
    }
    case Dialect::kKlavis:
      break;
  }
  return klavis::Detail(status, std::move(message));
}

void AddOperations(http::Router& router, http::Metrics& metrics, FindProblems find_problems) {
  router.Add("GET", "/healthz", Healthy);
  router.Add("GET", "/readyz",
             [find_problems = std::move(find_problems)](http::Request&) -> Task<http::Response> {
               co_return Readiness(find_problems());
             });
  router.Add("GET", "/metrics", [&metrics](http::Request&) -> Task<http::Response> {
    http::Response response = http::Text(200, metrics.Render());
    response.headers.Set("Content-Type", std::string(http::Metrics::kContentType));
    co_return response;
  });
}

}  // namespace viv::server
