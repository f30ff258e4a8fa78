#include "dialects/e2b/context.h"
#include "dialects/e2b/egress_proxy.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_config.h"
#include "http/fields.h"

namespace viv::e2b {

// Replaces what the sandbox may reach, all of it; how it is reached stays.
Task<http::Response> UpdateSandboxNetwork(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::string id = SandboxIdOf(request);
  std::string account_id = request.identity.account_id;
  std::optional<bool> internet = fields.Flag("allow_internet_access");
  AccountSealer sealer{context.sealer, account_id};
  boxes::BoxNetwork asked;
  ReadEgress(fields, internet, sealer, asked);
  if (!fields.ok()) co_return RenderError(fields.error());
  Status proxy = co_await CheckEgressProxy(context.boxes, asked.plan.proxy);
  if (!proxy) co_return RenderError(proxy.error());
  boxes::MakeBoxChange change = [asked = std::move(asked)](const boxes::Box& now) {
    boxes::BoxChange made;
    made.network = now.spec.network;
    made.network->egress = asked.egress;
    made.network->internet_requested = asked.internet_requested;
    made.network->plan = asked.plan;
    return made;
  };
  auto set = co_await context.boxes.Update(std::move(account_id), id, std::move(change));
  if (!set) co_return RenderSandboxError(set.error(), id);
  co_return http::Empty(204);
}

}  // namespace viv::e2b
