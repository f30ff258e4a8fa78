#include "server/box_dialects.h"

#include <utility>

#include "dialects/e2b/errors.h"
#include "dialects/e2b/traffic.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/service_address.h"
#include "dialects/langsmith/service_traffic.h"
#include "dialects/recoup/errors.h"
#include "dialects/recoup/git_routes.h"
#include "http/tls.h"

namespace viv::server {
namespace {

// Relays with TLS, for ports that speak it themselves.
Task<Result<http::Response>> RelayToBox(http::Request& request,
                                        UniqueFd upstream,
                                        http::RelayOptions options) {
  options.tls_library = &http::OpenSsl();
  return http::Relay(request, std::move(upstream), std::move(options));
}

}  // namespace

BoxDialects::BoxDialects(Parts parts)
    : domain_(parts.settings.domain),
      accounts_(parts.accounts),
      sealer_(parts.secret),
      repositories_(parts.settings.data + "/repositories", parts.pool) {
  using accounts::Budget;
  repositories_.SetQuota(
      [&budgets = parts.budgets](std::string_view account_id, std::int64_t used) {
        budgets.SetUsed(account_id, Budget::kRepositoryBytes, used);
        return budgets.EffectiveLimitsOf(account_id)[Budget::kRepositoryBytes].value_or(INT64_MAX);
      });
}

Status BoxDialects::LoadTables(store::Store& store) {
  const std::pair<std::unique_ptr<accounts::DocumentTable>*, const char*> kinds[] = {
      {&registries_, "langsmith.registry"},
      {&snapshots_, "langsmith.snapshot"},
      {&services_, "langsmith.service"},
      {&recoup_accounts_, "recoup.account"},
      {&runs_, "recoup.run"},
      {&sessions_, "recoup.session"}};
  for (const auto& [table, kind] : kinds) {
    ASSIGN_OR_RETURN(*table, accounts::DocumentTable::Load(store, kind), kind);
  }
  return {};
}

Result<std::unique_ptr<BoxDialects>> BoxDialects::Open(Parts parts) {
  std::unique_ptr<BoxDialects> dialects(new BoxDialects(parts));
  RETURN_IF_ERROR(dialects->LoadTables(parts.store));
  const Settings& settings = parts.settings;
  ASSIGN_OR_RETURN(network::DialGuard dial_guard,
                   network::DialGuard::Compile(settings.open_private), "open private addresses");
  ASSIGN_OR_RETURN(dialects->download_tls_, gateway::OriginTls::Open({}), "TLS of downloads");
  boxes::Boxes& boxes = parts.boxes.boxes();
  dialects->e2b_.reset(new e2b::Context{.boxes = boxes,
                                        .accounts = parts.accounts,
                                        .secrets = parts.boxes.egress().secrets(),
                                        .sealer = parts.boxes.egress().sealer(),
                                        .domain = settings.domain,
                                        .relay = RelayToBox});
  dialects->langsmith_.reset(
      new langsmith::Context{.boxes = boxes,
                             .accounts = parts.accounts,
                             .sealer = dialects->sealer_,
                             .account_secrets = parts.boxes.egress().secrets(),
                             .registries = *dialects->registries_,
                             .snapshots = *dialects->snapshots_,
                             .services = *dialects->services_,
                             .public_url = settings.public_url,
                             .domain = settings.domain,
                             .boxes_max = settings.boxes_max,
                             .relay = RelayToBox,
                             .images = &parts.boxes.images()});
  dialects->recoup_.reset(new recoup::Context{.boxes = boxes,
                                              .accounts = parts.accounts,
                                              .repositories = dialects->repositories_,
                                              .account_rows = *dialects->recoup_accounts_,
                                              .runs = *dialects->runs_,
                                              .sessions = *dialects->sessions_,
                                              .public_url = settings.public_url,
                                              .dial_guard = std::move(dial_guard),
                                              .tls = dialects->download_tls_.get()});
  dialects->box_traffic_ = e2b::Traffic(*dialects->e2b_);
  dialects->service_traffic_ = langsmith::ServiceTraffic(*dialects->langsmith_);
  return dialects;
}

DialectRoutes BoxDialects::Routes(const http::KeyLookup& keys) {
  return {.e2b = e2b::Routes(*e2b_, keys),
          .langsmith = langsmith::Routes(*langsmith_, keys),
          .recoup = recoup::Routes(*recoup_, keys),
          .git = recoup::GitRoutes(repositories_, accounts_, keys)};
}

const http::Handler* BoxDialects::TrafficHandler(const http::Request& request) const {
  switch (TrafficOf(domain_, request)) {
    case BoxTraffic::kE2b:
      return &box_traffic_;
    case BoxTraffic::kLangsmith:
      return &service_traffic_;
    case BoxTraffic::kNone:
      break;
  }
  return nullptr;
}

DialectRoutes UnavailableDialects(const std::string& why) {
  return {.e2b = e2b::UnavailableRoutes(why),
          .langsmith = langsmith::UnavailableRoutes(why),
          .recoup = recoup::UnavailableRoutes(why),
          .git = recoup::UnavailableGitRoutes(why)};
}

void MountDialects(const DialectRoutes& routes, http::Router& router, DialectErrors& errors) {
  auto mount = [&](std::string_view prefix, const http::Router& own, DialectErrors::Render render) {
    router.Mount(prefix, own);
    errors.Add(prefix, own, render);
  };
  for (std::string_view prefix : {"", "/e2b"}) mount(prefix, routes.e2b, e2b::RenderRouteError);
  for (std::string_view prefix : {"", "/langsmith"})
    mount(prefix, routes.langsmith, langsmith::RenderRouteError);
  for (std::string_view prefix : {"", "/recoup"})
    mount(prefix, routes.recoup, recoup::RenderRouteError);
  mount("", routes.git, recoup::RenderGitError);
}

BoxTraffic TrafficOf(std::string_view domain, const http::Request& request) {
  // A host name belongs to one box; paths of guests are matched before ours.
  if (langsmith::IsServiceHost(domain, request.headers.Get("host"))) return BoxTraffic::kLangsmith;
  if (e2b::IsTraffic(request)) return BoxTraffic::kE2b;
  return langsmith::IsServiceTraffic(domain, request) ? BoxTraffic::kLangsmith : BoxTraffic::kNone;
}

bool IsStreamedToBoxes(std::string_view domain, const http::Request& request) {
  return e2b::IsTraffic(request) || langsmith::IsServiceTraffic(domain, request) ||
         langsmith::IsStreamed(request) || recoup::IsGitStreamed(request);
}

}  // namespace viv::server
