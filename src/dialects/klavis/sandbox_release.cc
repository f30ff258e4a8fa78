#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/validate.h"

namespace viv::klavis {

Task<http::Response> ReleaseSandbox(Context& context, http::Request& request) {
  if (auto refused = RefuseUnknownServer(context, request)) co_return std::move(*refused);
  Validator validator;
  validator.QueryBoolean(request, "is_ttl", false);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  std::optional<std::string> instance_id = request.Query("instance_id");
  if (instance_id && instance_id->empty()) instance_id.reset();
  auto released = co_await context.sandboxes.Release(RefOf(request), std::move(instance_id));
  if (!released) co_return RenderError(released.error());
  const store::Sandbox& sandbox = *released->sandbox;
  std::string message =
      released->skipped
          ? "Release skipped: instance_id does not match the current lease of sandbox " + sandbox.id
          : "Sandbox " + sandbox.id + " released successfully and is now available for reuse";
  json::object response{
      {"sandbox_id", sandbox.id}, {"status", StatusOf(sandbox)}, {"message", message}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> ResetSandbox(Context& context, http::Request& request) {
  if (auto refused = RefuseUnknownServer(context, request)) co_return std::move(*refused);
  worlds::SandboxRef ref = RefOf(request);
  std::string id = ref.sandbox_id;
  Status reset = co_await context.sandboxes.Reset(std::move(ref));
  if (!reset) co_return RenderError(reset.error());
  json::object response{{"sandbox_id", id},
                        {"status", "occupied"},
                        {"message", "Reset completed. The sandbox is back in its initial state."}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::klavis
