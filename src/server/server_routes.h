#pragma once
// Every route of the server: those of the dialects, of MCP, of our own API and of the operator.
// Without boxes the routes that need them say so, each in the shape of its dialect.

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "dialects/dashboard/context.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/server_tools.h"
#include "http/message.h"
#include "http/middleware/auth.h"
#include "http/middleware/metrics.h"
#include "http/router.h"
#include "mcp/routes.h"
#include "server/box_dialects.h"
#include "server/components.h"
#include "server/dialect_errors.h"
#include "server/forwarded.h"
#include "server/local_service.h"
#include "server/settings.h"
#include "server/template_builds.h"

namespace viv::server {

class ServerRoutes {
 public:
  // `components` outlives it.
  static Result<std::unique_ptr<ServerRoutes>> Open(Components& components, const Address& address);

  // Serves a request from its first middleware on. This object outlives it, and the renderer.
  http::Handler MakeHandler(TrustedProxies proxies);
  http::ErrorRenderer error_renderer() const { return std::cref(errors_); }

  http::Metrics& metrics() { return metrics_; }
  mcp::Routes& mcp() { return mcp_; }
  BoxDialects* box_dialects() { return box_dialects_.get(); }         // nullptr without boxes
  LocalService* local_sandboxes() { return local_sandboxes_.get(); }  // likewise

 private:
  ServerRoutes(Components& components, const Address& address);
  void Mount(std::string_view prefix, const http::Router& routes, DialectErrors::Render render);
  void MountKlavis(const http::Router& routes);
  void AddWorldRoutes();
  void AddServerRoutes();
  Status AddBoxRoutes();
  void AddUnavailableRoutes();
  void AddGauges();

  Components& components_;
  http::Metrics metrics_;
  const http::KeyLookup keys_;
  klavis::Context klavis_;
  dashboard::Context dashboard_;
  mcp::Routes mcp_;
  klavis::ServerToolsContext tools_;
  std::unique_ptr<BoxDialects> box_dialects_;
  std::unique_ptr<LocalService> local_sandboxes_;
  std::unique_ptr<TemplateBuilds> template_builds_;
  DialectErrors errors_;
  http::Router router_;  // last: its handlers refer to all of the above
};

}  // namespace viv::server
