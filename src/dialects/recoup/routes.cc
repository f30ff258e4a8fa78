#include "base/log.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/cors.h"
#include "dialects/recoup/errors.h"
#include "http/middleware/errors.h"

namespace viv::recoup {
namespace {

constexpr http::RouteEntry<Context> kRoutes[] = {
    {"GET", "/api/sandboxes", ListSandboxes},
    {"POST", "/api/sandboxes", CreateSandbox},
    {"PATCH", "/api/sandboxes", UpdateAccount},
    {"DELETE", "/api/sandboxes", DeleteAccount},
    {"POST", "/api/sandboxes/setup", SetUpAccount},
    {"GET", "/api/sandboxes/file", ReadRepositoryFile},
    {"POST", "/api/sandboxes/files", UploadRepositoryFiles},
    {"POST", "/api/sandboxes/staged-file", ExplainStagedFile},
    {"GET", "/api/tasks/runs", ListRuns},
    {"POST", "/api/sandbox", OpenSession},
    {"GET", "/api/sandbox/status", GetSessionStatus},
    {"GET", "/api/sandbox/reconnect", ReconnectSession},
    {"GET", "/api/admins/sandboxes", ExplainStatistics},
    {"GET", "/api/admins/sandboxes/orgs", ExplainStatistics},
};

struct PreflightRoute {
  std::string_view path;
  int status;
};

constexpr PreflightRoute kPreflights[] = {
    {"/api/sandboxes", 200},
    {"/api/sandboxes/setup", 200},
    {"/api/sandboxes/file", 200},
    {"/api/sandboxes/files", 200},
    {"/api/sandboxes/staged-file", 200},
    {"/api/tasks/runs", 200},
    {"/api/sandbox", 204},
    {"/api/sandbox/status", 204},
    {"/api/sandbox/reconnect", 204},
    {"/api/admins/sandboxes", 200},
    {"/api/admins/sandboxes/orgs", 200},
};

// A browser asks these before it calls, with or without boxes.
void AddPreflights(http::Router& router) {
  for (const PreflightRoute& route : kPreflights)
    router.Add("OPTIONS", route.path, Preflight(route.status));
}

}  // namespace

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router router;
  // Outermost first: whatever is answered, a browser may read it.
  const std::vector<http::Middleware> list = {Cors(), http::Errors(RenderRouteError),
                                              Authenticated(keys)};
  http::AddRoutes<Context>(router, kRoutes, context, [&list](http::Handler handler) {
    return http::Compose(list, std::move(handler));
  });
  AddPreflights(router);
  return router;
}

http::Router UnavailableRoutes(std::string why) {
  http::Router router;
  http::AddRoutesServedBy<Context>(router, kRoutes,
                                   http::AlwaysError(503, std::move(why), RenderRouteError));
  AddPreflights(router);
  return router;
}

}  // namespace viv::recoup
