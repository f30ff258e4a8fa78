#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {
namespace {

struct Route {
  std::string_view method;
  std::string_view path;
  Operation* operation;
};

constexpr Route kRoutes[] = {
    {"POST", "/v2/sandboxes", CreateSandboxV2},
    {"POST", "/sandboxes", CreateSandbox},
    {"GET", "/v2/sandboxes", ListSandboxes},
    {"GET", "/sandboxes", ListRunningSandboxes},
    {"GET", "/sandboxes/metrics", ListSandboxMetrics},
    {"GET", "/sandboxes/{id}", GetSandbox},
    {"DELETE", "/sandboxes/{id}", KillSandbox},
    {"POST", "/v2/sandboxes/{id}/connect", ConnectSandboxV2},
    {"POST", "/sandboxes/{id}/connect", ConnectSandbox},
    {"POST", "/sandboxes/{id}/resume", ResumeSandbox},
    {"POST", "/sandboxes/{id}/pause", PauseSandbox},
    {"POST", "/sandboxes/{id}/timeout", SetSandboxTimeout},
    {"POST", "/sandboxes/{id}/refreshes", RefreshSandbox},
    {"PUT", "/sandboxes/{id}/network", UpdateSandboxNetwork},
    {"POST", "/sandboxes/{id}/fork", ForkSandbox},
    {"POST", "/sandboxes/{id}/snapshots", CreateSnapshot},
    {"GET", "/snapshots", ListSnapshots},
    {"GET", "/sandboxes/{id}/metrics", GetSandboxMetrics},
    {"GET", "/v2/sandboxes/{id}/logs", GetSandboxLogsV2},
    {"GET", "/sandboxes/{id}/logs", GetSandboxLogs},
    {"GET", "/templates", ListTemplates},
    {"GET", "/v2/templates", ListTemplatesV2},
    {"GET", "/templates/{templateID}", GetTemplate},
    {"PATCH", "/templates/{templateID}", UpdateTemplate},
    {"PATCH", "/v2/templates/{templateID}", UpdateTemplate},
    {"DELETE", "/templates/{templateID}", RemoveTemplate},
    {"GET", "/templates/{templateID}/tags", ListTemplateTags},
    {"GET", "/templates/aliases/{alias}", GetTemplateAlias},
    {"GET", "/teams", ListTeams},
    {"GET", "/teams/{teamID}/metrics", GetTeamMetrics},
    {"GET", "/teams/{teamID}/metrics/max", GetTeamMetricMaximum},
    {"GET", "/secrets", ListSecrets},
    {"POST", "/secrets", CreateSecret},
    {"GET", "/secrets/{secretID}", GetSecret},
    {"POST", "/secrets/{secretID}", UpdateSecret},
    {"DELETE", "/secrets/{secretID}", RemoveSecret},
    {"GET", "/api-keys", ListApiKeys},
    {"POST", "/api-keys", CreateApiKey},
    {"PATCH", "/api-keys/{apiKeyID}", RenameApiKey},
    {"DELETE", "/api-keys/{apiKeyID}", RemoveApiKey},
};

}  // namespace

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router router;
  http::Middleware auth = http::Auth(keys, RenderAuthFailure);
  for (const Route& route : kRoutes) {
    Operation* operation = route.operation;
    router.Add(route.method, route.path, auth([&context, operation](http::Request& request) {
                 return operation(context, request);
               }));
  }
  router.Add("GET", "/health",
             [&context](http::Request& request) { return Health(context, request); });
  AddUnavailable(router, auth);
  return router;
}

std::string ShortId(std::string_view id) {
  return std::string(id.substr(0, id.find('-')));
}

std::string SandboxIdOf(const http::Request& request) {
  return ShortId(request.Parameter("id"));
}

}  // namespace viv::e2b
