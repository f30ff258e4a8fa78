#include "server/operations.h"

#include "dialects/dashboard/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/klavis/errors.h"
#include "rpc/jsonrpc/message.h"

namespace viv::server {
namespace {

Task<http::Response> Healthy(http::Request& /*request*/) {
  co_return http::Json(200, R"({"status":"ok"})");
}

// Klavis has the two singular ones; all other paths of sandboxes and templates are E2B's.
bool IsE2b(const http::Request& request) {
  if (request.headers.Has("E2b-Sandbox-Id")) return true;
  for (std::string_view prefix :
       {"/e2b/", "/sandboxes", "/v2/sandboxes", "/templates", "/v2/templates", "/v3/templates",
        "/snapshots", "/volumes", "/secrets", "/teams", "/events", "/api-keys"}) {
    if (request.path.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

http::Response RenderServerError(int status, std::string message, const http::Request& request) {
  if (request.path.starts_with("/mcp/")) {
    rpc::JsonRpcError error{
        status == 404 ? rpc::JsonRpcCode::kNotFound : rpc::JsonRpcCode::kInternalError,
        std::move(message)};
    return http::Json(status, rpc::JsonRpcFailure(nullptr, error));
  }
  if (request.path.starts_with("/api/viv/")) {
    std::string_view code = status == 404   ? "not_found"
                            : status == 405 ? "method_not_allowed"
                            : status < 500  ? "bad_request"
                                            : "internal";
    return dashboard::Failure(status, code, std::move(message));
  }
  if (IsE2b(request)) return e2b::Failure(status, std::move(message));
  return klavis::Detail(status, std::move(message));
}

void AddOperations(http::Router& router, http::Metrics& metrics) {
  router.Add("GET", "/healthz", Healthy);
  router.Add("GET", "/readyz", Healthy);
  router.Add("GET", "/metrics", [&metrics](http::Request&) -> Task<http::Response> {
    http::Response response = http::Text(200, metrics.Render());
    response.headers.Set("Content-Type", std::string(http::Metrics::kContentType));
    co_return response;
  });
}

}  // namespace viv::server
