#include "server/server_routes.h"

#include <functional>
#include <utility>
#include <vector>

#include "dialects/klavis/errors.h"
#include "http/middleware/access_log.h"
#include "http/middleware/errors.h"
#include "http/middleware/request_id.h"
#include "http/middleware/request_metrics.h"
#include "http/route_table.h"
#include "server/budget_wiring.h"
#include "server/down.h"
#include "server/openapi.h"
#include "server/operations.h"

namespace viv::server {
namespace {

http::KeyLookup KeysOf(Components& components) {
  http::KeyLookup keys =
      [&accounts = *components.accounts](std::string_view given) -> std::optional<http::Identity> {
    auto found = accounts.Authenticate(given);
    if (!found) return std::nullopt;
    return http::Identity{found->account_id, found->id};
  };
  keys.admit = AdmitBy(*components.budgets);
  return keys;
}

boxes::Boxes* BoxesOf(Components& components) {
  return components.boxes == nullptr ? nullptr : &components.boxes->boxes();
}

mcp::OriginPolicy OriginsOf(const Settings& settings, const Address& address) {
  return {address.is_loopback(), settings.allowed_origins, settings.public_url};
}

}  // namespace

ServerRoutes::ServerRoutes(Components& components, const Address& address)
    : components_(components),
      keys_(KeysOf(components)),
      klavis_{*components.sandboxes, components.settings.public_url},
      dashboard_{*components.sandboxes, *components.accounts, components.settings.public_url,
                 BoxesOf(components), components.budgets.get()},
      mcp_(*components.sandboxes,
           {BoxesOf(components), &components.local_servers},
           {components.settings.mcp_page},
           OriginsOf(components.settings, address),
           components.secret),
      tools_{mcp_, *components.catalogue, components.local_servers, components.settings.public_url},
      errors_(components.settings.domain, klavis::RenderRouteError) {
  mcp_.SetAdmit(AdmitBy(*components.budgets));
  dashboard_.replace_server_key = [&server_key = *components.server_key](
                                      std::string_view id,
                                      const accounts::Accounts::NewKey& fresh) {
    return server_key.Replace(id, fresh);
  };
}

Result<std::unique_ptr<ServerRoutes>> ServerRoutes::Open(Components& components,
                                                         const Address& address) {
  std::unique_ptr<ServerRoutes> routes(new ServerRoutes(components, address));
  routes->AddWorldRoutes();
  routes->AddServerRoutes();
  if (components.boxes != nullptr) {
    RETURN_IF_ERROR(routes->AddBoxRoutes());
  } else {
    routes->AddUnavailableRoutes();
  }
  routes->AddGauges();
  return routes;
}

void ServerRoutes::Mount(std::string_view prefix,
                         const http::Router& routes,
                         DialectErrors::Render render) {
  router_.Mount(prefix, routes);
  errors_.Add(prefix, routes, render);
}

void ServerRoutes::MountKlavis(const http::Router& routes) {
  for (std::string_view prefix : {"", "/klavis"}) Mount(prefix, routes, klavis::RenderRouteError);
}

void ServerRoutes::AddWorldRoutes() {
  MountKlavis(klavis::Routes(klavis_, keys_));
  MountKlavis(klavis::ServerToolsRoutes(tools_, keys_));
  Mount("", dashboard::Routes(dashboard_, keys_), dashboard::RenderRouteError);
  http::Router mcp_routes;
  mcp_.AddTo(mcp_routes);
  Mount("", mcp_routes, mcp::RenderRouteError);
}

void ServerRoutes::AddServerRoutes() {
  AddOperations(router_, metrics_, [&components = components_] { return ProblemsOf(components); });
  AddOpenApi(router_);
  AddRouteListing(router_, keys_);
}

Status ServerRoutes::AddBoxRoutes() {
  Components& with = components_;
  BoxService& boxes = *with.boxes;
  BoxDialects::Parts parts{with.settings, *with.store, *with.pool,   *with.accounts,
                           boxes,         with.secret, *with.budgets};
  ASSIGN_OR_RETURN(box_dialects_, BoxDialects::Open(parts), "dialects");
  MountDialects(box_dialects_->Routes(keys_), router_, errors_);
  dashboard_.repository_bytes = [&dialects = *box_dialects_](std::string account_id) {
    return dialects.repositories().Size(std::move(account_id));
  };
  boxes.egress().AddTo(router_);
  LocalService::Parts local_parts{with.settings,      *with.pool,  boxes,
                                  with.local_servers, with.secret, *with.budgets};
  ASSIGN_OR_RETURN(local_sandboxes_, LocalService::Open(local_parts), "local sandboxes");
  MountKlavis(local_sandboxes_->Routes(keys_));
  local_sandboxes_->AddBlobsTo(router_);
  template_builds_ = std::make_unique<TemplateBuilds>(boxes.templates(), *with.budgets);
  template_builds_->AddTo(router_, keys_);
  AddAllBoxes(router_, {boxes.boxes(), *with.accounts}, keys_);
  return {};
}

void ServerRoutes::AddUnavailableRoutes() {
  MountDialects(UnavailableDialects(components_.why_no_boxes), router_, errors_);
  MountKlavis(klavis::UnavailableLocalRoutes(components_.why_no_boxes));
  http::Handler refuse =
      http::AlwaysError(503, components_.why_no_boxes, dashboard::RenderRouteError);
  TemplateBuilds::AddUnavailableTo(router_, refuse);
  AddUnavailableAllBoxes(router_, refuse);
}

void ServerRoutes::AddGauges() {
  auto add = [this](std::string name, std::string help, auto read) {
    metrics_.AddGauge({std::move(name), std::move(help)}, {},
                      [read] { return static_cast<double>(read()); });
  };
  add("viv_sandboxes", "Pooled sandboxes, including idle ones",
      [&store = *components_.store] { return store.CountSandboxes(); });
  add("viv_worlds_in_memory", "Worlds that have been used since the start",
      [&worlds = *components_.worlds] { return worlds.size(); });
  if (components_.boxes == nullptr) return;
  boxes::BoxManager& boxes = components_.boxes->boxes();
  add("viv_boxes", "Boxes, including paused and stopped ones", [&boxes] { return boxes.size(); });
  add("viv_boxes_ending", "Removed boxes whose processes have not all ended",
      [&boxes] { return boxes.ending(); });
  add("viv_boxes_held", "Boxes that are frozen until there is free disk space",
      [&boxes] { return boxes.frozen_for_disk(); });
  add("viv_boxes_parked", "Boxes that were started ahead of time",
      [&boxes] { return boxes.parked(); });
}

http::Handler ServerRoutes::MakeHandler(TrustedProxies proxies) {
  // Outermost first. RequestId precedes the log, which writes it; Errors stands inside both, so
  // that they see its 500. Forwarded comes before whoever looks at Host.
  std::vector<http::Middleware> middlewares = {http::RequestId(), http::RequestMetrics(metrics_),
                                               http::AccessLog(), http::Errors(error_renderer()),
                                               Forwarded(std::move(proxies))};
  http::Handler no_boxes = http::AlwaysError(503, components_.why_no_boxes, error_renderer());
  http::Handler dispatch = [this, no_boxes, control = http::Dispatch(router_, error_renderer())](
                               http::Request& request) {
    if (box_dialects_ == nullptr) {
      const bool is_traffic = TrafficOf(components_.settings.domain, request) != BoxTraffic::kNone;
      return is_traffic ? no_boxes(request) : control(request);
    }
    const http::Handler* traffic = box_dialects_->TrafficHandler(request);
    return traffic != nullptr ? (*traffic)(request) : control(request);
  };
  return http::Compose(middlewares, std::move(dispatch));
}

}  // namespace viv::server
