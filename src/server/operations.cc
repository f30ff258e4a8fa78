#include "server/operations.h"

#include <utility>

#include "base/json.h"

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

}  // namespace

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
