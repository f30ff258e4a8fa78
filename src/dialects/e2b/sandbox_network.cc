#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/fields.h"
#include "dialects/e2b/network_config.h"

namespace viv::e2b {

// Replaces what the sandbox may reach, all of it; how it is reached stays.
Task<http::Response> UpdateSandboxNetwork(Context& context, http::Request& request) {
  Fields fields(request, Fields::Body::kRequired);
  bool internet = fields.Flag("allow_internet_access").value_or(true);
  network::Policy egress = ReadEgress(fields, internet);
  if (!fields.ok()) co_return RenderError(fields.error());
  std::string id = SandboxIdOf(request);
  std::string account_id = request.identity.account_id;
  auto box = context.boxes.Get(account_id, id);
  if (!box) co_return RenderSandboxError(box.error(), id);
  sandbox::BoxNetwork network = (*box)->spec.network;
  network.egress = std::move(egress);
  Status set = co_await context.boxes.SetNetwork(std::move(account_id), id, std::move(network));
  if (!set) co_return RenderSandboxError(set.error(), id);
  co_return http::Empty(204);
}

}  // namespace viv::e2b
