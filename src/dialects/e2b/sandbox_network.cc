#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_config.h"
#include "http/fields.h"

namespace viv::e2b {

// Replaces what the sandbox may reach, all of it; how it is reached stays.
Task<http::Response> UpdateSandboxNetwork(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kRequired);
  std::string id = SandboxIdOf(request);
  std::string account_id = request.identity.account_id;
  bool internet = fields.Flag("allow_internet_access").value_or(true);
  Sealer sealer{context.sealer, account_id};
  sandbox::BoxNetwork asked;
  ReadEgress(fields, internet, sealer, asked);
  if (!fields.ok()) co_return RenderError(fields.error());
  auto box = context.boxes.Get(account_id, id);
  if (!box) co_return RenderSandboxError(box.error(), id);
  sandbox::BoxNetwork network = (*box)->spec.network;
  network.egress = std::move(asked.egress);
  network.plan = std::move(asked.plan);
  sandbox::BoxChange change;
  change.network = std::move(network);
  auto set = co_await context.boxes.Update(std::move(account_id), id, std::move(change));
  if (!set) co_return RenderSandboxError(set.error(), id);
  co_return http::Empty(204);
}

}  // namespace viv::e2b
