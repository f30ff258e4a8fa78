#include "dialects/e2b/context.h"
#include "dialects/e2b/errors.h"
#include "http/fields.h"

namespace viv::e2b {

Task<http::Response> PauseSandbox(Context& context, http::Request& request) {
  http::Fields fields(request, http::Fields::Body::kOptional);
  bool keep = fields.Flag("memory").value_or(true);
  if (!fields.ok()) co_return RenderError(fields.error());
  std::string id = SandboxIdOf(request);
  auto memory = keep ? boxes::Boxes::Memory::kKeep : boxes::Boxes::Memory::kDrop;
  Status paused = co_await context.boxes.Pause(request.identity.account_id, id, memory);
  if (!paused && paused.error().code == ErrorCode::kConflict) {
    // The client takes a 409 for "it was paused before".
    co_return Failure(409, "Error pausing sandbox - sandbox '" + id + "' is already paused");
  }
  if (!paused) co_return RenderSandboxError(paused.error(), id);
  co_return http::Empty(204);
}

}  // namespace viv::e2b
