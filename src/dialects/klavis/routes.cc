#include "mcp/routes.h"

#include "base/clock.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/routes.h"
#include "dialects/klavis/validate.h"

namespace viv::klavis {

http::Response RenderAuthFailure(http::AuthFailure failure) {
  if (failure == http::AuthFailure::kTooManyRequests)
    return Detail(429, std::string(http::kTooManyRequests));
  if (failure == http::AuthFailure::kMissing) {
    http::Response response = Detail(401, "Not authenticated");
    response.headers.Set("WWW-Authenticate", "Bearer");
    return response;
  }
  return Detail(403, "Invalid API key");
}

http::Router Routes(Context& context, const http::KeyLookup& keys) {
  http::Router router;
  http::Middleware auth = http::Auth(keys, RenderAuthFailure);
  // The whole state of an application may be one document.
  http::Middleware auth_of_document = http::Auth(keys, RenderAuthFailure, http::DocumentLimits());
  auto add = [&](std::string_view method, std::string_view path,
                 Task<http::Response> (*handler)(Context&, http::Request&)) {
    const bool takes_document = path.ends_with("/initialize");
    router.Add(
        method, path,
        (takes_document ? auth_of_document : auth)(
            [&context, handler](http::Request& request) { return handler(context, request); }));
  };
  add("GET", "/sandbox", ListSandboxes);
  add("POST", "/sandbox/prepare", PrepareSandboxes);
  add("POST", "/sandbox/{server_name}", AcquireSandbox);
  add("GET", "/sandbox/{server_name}/{sandbox_id}", GetSandbox);
  add("DELETE", "/sandbox/{server_name}/{sandbox_id}", ReleaseSandbox);
  add("POST", "/sandbox/{server_name}/{sandbox_id}/reset", ResetSandbox);
  add("POST", "/sandbox/{server_name}/{sandbox_id}/initialize", InitializeSandbox);
  add("GET", "/sandbox/{server_name}/{sandbox_id}/dump", DumpSandbox);
  return router;
}

worlds::SandboxRef RefOf(const http::Request& request) {
  return {.account_id = request.identity.account_id,
          .server = std::string(request.Parameter("server_name")),
          .sandbox_id = std::string(request.Parameter("sandbox_id"))};
}

std::string ServerUrlOf(const Context& context,
                        const http::Request& request,
                        const store::Sandbox& sandbox) {
  return mcp::ServerUrl(context.public_url.empty() ? request.BaseUrl() : context.public_url,
                        sandbox);
}

std::string_view StatusOf(const store::Sandbox& sandbox) {
  switch (sandbox.state) {
    case store::SandboxState::kIdle:
      return "idle";
    case store::SandboxState::kOccupied:
      return "occupied";
    case store::SandboxState::kError:
      return "error";
  }
  return "error";
}

json::value TagsOf(const store::Sandbox& sandbox) {
  auto tags = ParseJson(sandbox.tags_json);
  return tags ? std::move(*tags) : json::value();
}

json::value TextOrNull(const std::string& text) {
  return text.empty() ? json::value() : json::value(text);
}

std::optional<http::Response> RefuseUnknownServer(const Context& context,
                                                  const http::Request& request) {
  std::string_view name = request.Parameter("server_name");
  if (context.sandboxes.catalogue().Find(name) != nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& loaded : context.sandboxes.catalogue().List())
    names.push_back(loaded->app->name);
  Validator validator;
  validator.AddChoice({json::string("path"), json::string("server_name")}, names,
                      json::string(name));
  return RenderProblems(validator.problems());
}

}  // namespace viv::klavis
