#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"

namespace viv::e2b {

Task<http::Response> KillSandbox(Context& context, http::Request& request) {
  std::string id = SandboxIdOf(request);
  Status removed = co_await context.boxes.Remove(request.identity.account_id, id);
  if (!removed) co_return RenderSandboxError(removed.error(), id);
  co_return http::Empty(204);
}

}  // namespace viv::e2b
