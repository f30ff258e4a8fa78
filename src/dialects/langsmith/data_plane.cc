#include <algorithm>
#include <array>

#include "base/text.h"
#include "dialects/langsmith/agent_call.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/errors.h"

namespace viv::langsmith {
namespace {

Task<http::Response> ServeDataPlane(Context& context, http::Request& request);

constexpr http::RouteEntry<Context> kDataPlane[] = {
    {"POST", "/{sandbox}/execute", ServeDataPlane},
    {"GET", "/{sandbox}/execute/ws", ServeDataPlane},
    {"POST", "/{sandbox}/execute/stream/start", ServeDataPlane},
    {"POST", "/{sandbox}/execute/stream/resume", ServeDataPlane},
    {"POST", "/{sandbox}/upload", ServeDataPlane},
    {"GET", "/{sandbox}/download", ServeDataPlane},
    {"POST", "/{sandbox}/glob", ServeDataPlane},
    {"POST", "/{sandbox}/grep", ServeDataPlane},
    {"GET", "/{sandbox}/tunnel", ServeDataPlane},
};

// What stands behind the sandbox's name, "/execute": it has the same path at the agent, below
// /dataplane.
std::string_view OperationOf(const http::RouteEntry<Context>& route) {
  return route.pattern.substr(route.pattern.find('/', 1));
}

// Of a request that came by one of the routes. None of their operations is the end of another.
std::string_view OperationOf(const http::Request& request) {
  std::string_view path = request.path;
  if (path.ends_with('/')) path.remove_suffix(1);
  for (const http::RouteEntry<Context>& route : kDataPlane)
    if (path.ends_with(OperationOf(route))) return OperationOf(route);
  return {};
}

// First segments that are the control plane's own: "/boxes/upload" is a box called "upload".
constexpr std::array<std::string_view, 6> kControlPlane = {
    "auth", "boxes", "registries", "snapshots", "snapshots-by-name", "usage"};

Task<http::Response> ServeDataPlane(Context& context, http::Request& request) {
  auto box = FindBox(context, request.identity.account_id, request.Parameter("sandbox"));
  if (!box) co_return FailureOf(box.error());
  std::string target = "/dataplane";
  target += OperationOf(request);
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

http::RouteTable<Context> DataPlaneRoutes() {
  return kDataPlane;
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
  return std::any_of(
      std::begin(kDataPlane), std::end(kDataPlane),
      [&](const http::RouteEntry<Context>& route) { return OperationOf(route) == operation; });
}

}  // namespace viv::langsmith
