#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {
namespace {

// Operations of the vendor's that this server does not support. The routes exist so that its
// clients get an error they can show, with what to do instead.
struct UnsupportedRoute {
  std::string_view method;
  std::string_view path;
  std::string_view message;
};

constexpr std::string_view kBuilds =
    "Template builds are not available here: set up a sandbox and take a snapshot of it, which can "
    "be started from like any template; the server's operator can add templates too";
constexpr std::string_view kTags =
    "Tags of templates cannot be changed here: take a snapshot named \"name:tag\" instead";
constexpr std::string_view kVolumes =
    "Volumes are not available here: keep files in a paused sandbox or a snapshot, or move them "
    "with the files API";
constexpr std::string_view kEvents =
    "Lifecycle events are not available here: list the sandboxes to see their state";
constexpr std::string_view kWebhooks =
    "Webhooks are not available here: list the sandboxes to see their state";

constexpr UnsupportedRoute kUnsupportedRoutes[] = {
    {"POST", "/v3/templates", kBuilds},
    {"POST", "/v2/templates", kBuilds},
    {"POST", "/templates", kBuilds},
    {"POST", "/templates/{templateID}", kBuilds},
    {"GET", "/templates/{templateID}/files/{hash}", kBuilds},
    {"POST", "/templates/{templateID}/builds/{buildID}", kBuilds},
    {"POST", "/v2/templates/{templateID}/builds/{buildID}", kBuilds},
    {"GET", "/templates/{templateID}/builds/{buildID}/status", kBuilds},
    {"GET", "/templates/{templateID}/builds/{buildID}/logs", kBuilds},
    {"POST", "/templates/tags", kTags},
    {"DELETE", "/templates/tags", kTags},
    {"GET", "/volumes", kVolumes},
    {"POST", "/volumes", kVolumes},
    {"GET", "/volumes/{volumeID}", kVolumes},
    {"DELETE", "/volumes/{volumeID}", kVolumes},
    {"GET", "/volumecontent/{rest...}", kVolumes},
    {"POST", "/volumecontent/{rest...}", kVolumes},
    {"PUT", "/volumecontent/{rest...}", kVolumes},
    {"PATCH", "/volumecontent/{rest...}", kVolumes},
    {"DELETE", "/volumecontent/{rest...}", kVolumes},
    {"GET", "/events/sandboxes", kEvents},
    {"GET", "/events/sandboxes/{id}", kEvents},
    {"GET", "/events/webhooks", kWebhooks},
    {"POST", "/events/webhooks", kWebhooks},
    {"GET", "/events/webhooks/{webhookID}", kWebhooks},
    {"PATCH", "/events/webhooks/{webhookID}", kWebhooks},
    {"DELETE", "/events/webhooks/{webhookID}", kWebhooks},
};

Task<http::Response> ExplainUnsupported(std::string_view message) {
  co_return Failure(400, std::string(message));
}

}  // namespace

void AddUnsupportedRoutes(http::Router& router, const http::Middleware& auth) {
  for (const UnsupportedRoute& route : kUnsupportedRoutes) {
    std::string_view message = route.message;  // a constant: it lives as long as the program
    router.Add(route.method, route.path,
               auth([message](http::Request&) { return ExplainUnsupported(message); }));
  }
}

}  // namespace viv::e2b
