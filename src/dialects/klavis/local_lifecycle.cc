// Gets, lists, resets and releases local sandboxes.

#include "boxes/box_ids.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_shapes.h"

namespace viv::klavis {

Task<http::Response> GetLocalSandbox(LocalContext& context, http::Request& request) {
  auto box = FindLocal(context, request);
  if (!box) co_return RenderError(box.error());
  co_return http::Json(200,
                       WriteJson(LocalSandboxInfo(context, **box, BaseUrlOf(context, request))));
}

Task<http::Response> ListLocalSandboxes(LocalContext& context, http::Request& request) {
  const std::string base_url = BaseUrlOf(context, request);
  json::array list;
  for (const boxes::BoxPtr& box : context.local.List(request.identity.account_id))
    list.push_back(LocalSandboxInfo(context, *box, base_url));
  const std::size_t count = list.size();
  json::object response{{"local_sandboxes", std::move(list)}, {"total_count", count}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> ReleaseLocalSandbox(LocalContext& context, http::Request& request) {
  Validator validator;
  validator.QueryBoolean(request, "is_ttl", false);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto box = FindLocal(context, request);
  if (!box) co_return RenderError(box.error());
  const std::string id = (*box)->id;
  Status released = co_await context.local.Release(*std::move(box));
  if (!released) co_return RenderError(released.error());
  auto forget = [&context, &id] {
    context.blobs.store().RemoveOwner(id);
    return true;
  };
  co_await context.pool.Run(forget);
  const std::string uuid = boxes::UuidOfBox(id);
  json::object response{{"local_sandbox_id", uuid},
                        {"status", "idle"},
                        {"message", "Local sandbox " + uuid + " released with all its servers"}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> ResetLocalSandbox(LocalContext& context, http::Request& request) {
  auto box = FindLocal(context, request);
  if (!box) co_return RenderError(box.error());
  const std::string uuid = boxes::UuidOfBox((*box)->id);
  AsyncMutex::Lock workspace_lock = co_await context.local.LockWorkspace(*box);
  Status reset = co_await context.local.Reset(*std::move(box));
  if (!reset) co_return RenderError(reset.error());
  json::object response{{"local_sandbox_id", uuid},
                        {"status", "occupied"},
                        {"message", "Reset completed. The sandbox is back in its initial state."}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::klavis
