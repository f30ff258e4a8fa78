#include "base/clock.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/credentials.h"
#include "dialects/klavis/errors.h"

namespace viv::klavis {

Task<http::Response> GetSandbox(Context& context, http::Request& request) {
  if (auto refused = RefuseUnknownServer(context, request)) co_return std::move(*refused);
  auto found = context.sandboxes.Get(RefOf(request));
  if (!found) co_return RenderError(found.error());
  const store::Sandbox& sandbox = **found;
  json::object metadata;
  json::value auth_data;
  if (auto loaded = context.sandboxes.catalogue().FindVersion(sandbox.image)) {
    const engine::App& app = *(*loaded)->app;
    CredentialOwner owner{.lease_id = sandbox.lease_id, .email = sandbox.email};
    if (app.metadata.is_object()) metadata = MakeCredentials(app.metadata, owner).get_object();
    auth_data = MakeCredentials(app.auth_data, owner);
  }
  metadata["test_account_email"] = sandbox.email;
  metadata["instance_id"] = sandbox.lease_id;
  metadata["expires_at"] =
      sandbox.expires_at_us ? json::value(IsoMicros(*sandbox.expires_at_us)) : json::value();
  std::string url = ServerUrlOf(context, request, sandbox);
  json::object response{
      {"sandbox_id", sandbox.id},
      {"server_url", url},
      {"server_urls", {{sandbox.server, url}}},
      {"server_name", sandbox.server},
      {"status", StatusOf(sandbox)},
      {"benchmark", TextOrNull(sandbox.benchmark)},
      {"updated_at", IsoMicros(sandbox.updated_at_us)},
      {"metadata", std::move(metadata)},
      {"auth_data", std::move(auth_data)},
      {"tags", TagsOf(sandbox)},
  };
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::klavis
