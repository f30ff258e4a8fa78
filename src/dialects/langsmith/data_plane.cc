#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialects/langsmith/agent_call.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/errors.h"

namespace viv::langsmith {
namespace {

struct DataPlaneRoute {
  std::string_view method;
  std::string_view operation;  // below the box's own address, and below the agent's /dataplane
};
constexpr std::array<DataPlaneRoute, 9> kDataPlane = {{
    {"POST", "/execute"},
    {"GET", "/execute/ws"},
    {"POST", "/execute/stream/start"},
    {"POST", "/execute/stream/resume"},
    {"POST", "/upload"},
    {"GET", "/download"},
    {"POST", "/glob"},
    {"POST", "/grep"},
    {"GET", "/tunnel"},
}};

// First segments that are the control plane's own: "/boxes/upload" is a box called "upload".
constexpr std::array<std::string_view, 6> kControlPlane = {
    "auth", "boxes", "registries", "snapshots", "snapshots-by-name", "usage"};

Task<http::Response> ServeDataPlane(Context& context,
                                    http::Request& request,
                                    std::string_view operation) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("sandbox"));
  if (!box) co_return FailureOf(box.error());
  std::string target = "/dataplane";
  target += operation;
  if (!request.query.empty()) target += '?' + request.query;
  co_return co_await CallAgent(context, request, *std::move(box), std::move(target));
}

bool TakePrefix(std::string_view& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  std::string_view rest = path.substr(prefix.size());
  if (!rest.empty() && rest.front() != '/') return false;
  path = rest;
  return true;
}

}  // namespace

void AddDataPlaneRoutes(Context& context, http::Router& router, const http::Middleware& auth) {
  for (const DataPlaneRoute& route : kDataPlane) {
    auto serve = [&context, operation = route.operation](http::Request& request) {
      return ServeDataPlane(context, request, operation);
    };
    router.Add(route.method, "/{sandbox}" + std::string(route.operation), auth(serve));
  }
}

bool IsStreamed(const http::Request& request) {
  std::string_view path = request.path;
  TakePrefix(path, "/langsmith");
  if (!TakePrefix(path, "/v2/sandboxes") && !TakePrefix(path, "/api/v2/sandboxes")) return false;
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return false;
  path.remove_prefix(1);
  std::string_view first = path.substr(0, path.find('/'));
  if (std::find(kControlPlane.begin(), kControlPlane.end(), first) != kControlPlane.end())
    return false;
  std::string_view operation = path.substr(first.size());
  return std::any_of(kDataPlane.begin(), kDataPlane.end(),
                     [&](const DataPlaneRoute& route) { return route.operation == operation; });
}

}  // namespace viv::langsmith
