#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/shapes.h"

namespace viv::e2b {

Task<http::Response> GetSandbox(Context& context, http::Request& request) {
  std::string id = SandboxIdOf(request);
  auto box = context.boxes.Get(request.identity.account_id, id);
  if (!box) co_return RenderSandboxError(box.error(), id);
  co_return http::Json(200, WriteJson(ShowDetail(context, **box)));
}

}  // namespace viv::e2b
