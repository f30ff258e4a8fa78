#include "boxes/box_ids.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/snapshot_operations.h"

namespace viv::langsmith {
namespace {

// The vendor's services send their key in a header of its own; it is a key like any other.
http::Middleware WithServiceKey(http::Middleware auth) {
  return [auth](http::Handler next) -> http::Handler {
    return [checked = auth(std::move(next))](http::Request& request) {
      if (http::KeyOf(request).empty() && request.headers.Has("x-service-key"))
        request.headers.Set("X-Api-Key", std::string(request.headers.Get("x-service-key")));
      return checked(request);
    };
  };
}

http::Router AtPrefixes(const http::Router& sandboxes, const http::Router& workspace) {
  http::Router router;
  router.Mount("/v2/sandboxes", sandboxes);
  router.Mount("/api/v2/sandboxes", sandboxes);
  router.Mount("/api/v1", workspace);
  return router;
}

}  // namespace

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Middleware auth = WithServiceKey(http::Auth(keys, RenderAuthFailure));
  auto writer = std::make_shared<SnapshotWriter>(context);  // it goes with the last handler
  http::Router sandboxes;
  http::AddRoutes(sandboxes, BoxRoutes(), context, auth);
  http::AddRoutes(sandboxes, SnapshotRoutes(), writer, auth);
  http::AddRoutes(sandboxes, RegistryRoutes(), context, auth);
  http::AddRoutes(sandboxes, ServiceRoutes(), context, auth);
  http::AddRoutes(sandboxes, DataPlaneRoutes(), context, auth);
  http::Router workspace;
  http::AddRoutes(workspace, WorkspaceRoutes(), context, auth);
  http::Router router = AtPrefixes(sandboxes, workspace);
  http::AddRoutes(router, LinkRoutes(), context);
  return router;
}

http::Router UnavailableRoutes(std::string why) {
  http::Handler refuse = http::AlwaysError(503, std::move(why), RenderRouteError);
  http::Router sandboxes;
  http::AddRoutesServedBy(sandboxes, BoxRoutes(), refuse);
  http::AddRoutesServedBy(sandboxes, SnapshotRoutes(), refuse);
  http::AddRoutesServedBy(sandboxes, RegistryRoutes(), refuse);
  http::AddRoutesServedBy(sandboxes, ServiceRoutes(), refuse);
  http::AddRoutesServedBy(sandboxes, DataPlaneRoutes(), refuse);
  http::Router workspace;
  http::AddRoutesServedBy(workspace, WorkspaceRoutes(), refuse);
  http::Router router = AtPrefixes(sandboxes, workspace);
  http::AddRoutesServedBy(router, LinkRoutes(), refuse);
  return router;
}

Result<boxes::BoxPtr> FindBox(const Context& context,
                              std::string_view account_id,
                              std::string_view ref) {
  if (auto named = context.boxes.GetByName(account_id, ref)) return named;
  const std::optional<std::string> id = boxes::BoxOfUuid(ref);
  auto found = context.boxes.Get(account_id, id ? *id : std::string(ref));
  if (found) return found;
  return Fail(ErrorCode::kNotFound, "sandbox '" + std::string(ref) + "' does not exist");
}

std::string OriginOf(const Context& context, const http::Request& request) {
  return context.public_url.empty() ? request.BaseUrl() : context.public_url;
}

}  // namespace viv::langsmith
