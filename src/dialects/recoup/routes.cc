#include "base/log.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/context.h"
#include "dialects/recoup/cors.h"
#include "dialects/recoup/errors.h"
#include "http/middleware/errors.h"

namespace viv::recoup {
namespace {

struct Route {
  std::string_view method;
  std::string_view path;
  Operation* operation;
};

constexpr Route kRoutes[] = {
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

http::Response RenderRecoupError(int status, std::string message, const http::Request&) {
  return Failure(status, std::move(message));
}

}  // namespace

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router router;
  // Outermost first: whatever is answered, a browser may read it.
  const std::vector<http::Middleware> list = {Cors(), http::Errors(RenderRecoupError),
                                              Authenticated(keys)};
  for (const Route& route : kRoutes) {
    Operation* operation = route.operation;
    http::Handler handler = [&context, operation](http::Request& request) {
      return operation(context, request);
    };
    router.Add(route.method, route.path, http::Compose(list, std::move(handler)));
  }
  for (const PreflightRoute& route : kPreflights)
    router.Add("OPTIONS", route.path, Preflight(route.status));
  return router;
}

}  // namespace viv::recoup
