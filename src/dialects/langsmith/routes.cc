#include "boxes/box_ids.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/errors.h"

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

}  // namespace

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router routes;
  http::Middleware auth = WithServiceKey(http::Auth(keys, RenderAuthFailure));
  AddBoxRoutes(context, routes, auth);
  AddSnapshotRoutes(context, routes, auth);
  AddRegistryRoutes(context, routes, auth);
  AddServiceRoutes(context, routes, auth);
  AddDataPlaneRoutes(context, routes, auth);
  http::Router router;
  router.Mount("/v2/sandboxes", routes);
  router.Mount("/api/v2/sandboxes", routes);
  http::Router workspace;
  AddWorkspaceRoutes(context, workspace, auth);
  router.Mount("/api/v1", workspace);
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
