#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {
namespace {

constexpr http::RouteEntry<Context> kRoutes[] = {
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

constexpr http::RouteEntry<Context> kOpenRoutes[] = {{"GET", "/health", Health}};  // without a key

}  // namespace

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router router;
  http::Middleware auth = http::Auth(keys, RenderAuthFailure);
  http::AddRoutes<Context>(router, kRoutes, context, auth);
  http::AddRoutes<Context>(router, kOpenRoutes, context);
  AddUnsupportedRoutes(router, auth);
  return router;
}

http::Router UnavailableRoutes(std::string why) {
  http::Router router;
  http::Handler refuse = http::AlwaysError(503, std::move(why), RenderRouteError);
  http::AddRoutesServedBy<Context>(router, kRoutes, refuse);
  http::AddRoutesServedBy<Context>(router, kOpenRoutes, refuse);
  AddUnsupportedRoutes(router, [refuse](const http::Handler&) { return refuse; });
  return router;
}

std::string ShortId(std::string_view id) {
  return std::string(id.substr(0, id.find('-')));
}

std::string SandboxIdOf(const http::Request& request) {
  return ShortId(request.Parameter("id"));
}

}  // namespace viv::e2b
