#include "server/egress_service.h"

#include <utility>

namespace viv::server {
namespace {

Task<http::Response> ShowKeys(gateway::Gateway& gateway) {
  http::Response response = http::Json(200, gateway.JwksJson());
  response.headers.Set("Cache-Control", "public, max-age=300");
  co_return response;
}

}  // namespace

Result<std::unique_ptr<EgressService>> EgressService::Open(const Settings& settings,
                                                           store::Store& store,
                                                           const std::string& secret) {
  std::unique_ptr<EgressService> service(new EgressService(secret));
  ASSIGN_OR_RETURN(service->table_, accounts::DocumentTable::Load(store, "secret"), "secrets");
  service->account_secrets_ =
      std::make_unique<accounts::AccountSecrets>(*service->table_, service->sealer_);
  ASSIGN_OR_RETURN(service->flow_log_, network::FlowLog::Open(settings.data + "/egress"),
                   "flow log");
  gateway::GatewayOptions options;
  options.folder = settings.data + "/gateway";
  options.origin_cas = settings.egress_cas;
  options.secrets = service->account_secrets_.get();
  options.issuer = [self = service.get()] {
    std::lock_guard lock(self->mutex_);
    return self->origin_;
  };
  ASSIGN_OR_RETURN(service->gateway_, gateway::Gateway::Open(std::move(options)), "gateway");
  return service;
}

void EgressService::SetOrigin(std::string origin) {
  std::lock_guard lock(mutex_);
  origin_ = std::move(origin);
}

void EgressService::AddTo(http::Router& router) {
  router.Add("GET", "/.well-known/jwks.json",
             [this](http::Request&) { return ShowKeys(*gateway_); });
}

}  // namespace viv::server
