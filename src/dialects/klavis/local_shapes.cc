#include "dialects/klavis/local_shapes.h"

#include "base/clock.h"
#include "base/text.h"
#include "boxes/box_ids.h"
#include "dialects/klavis/context.h"
#include "dialects/klavis/errors.h"

namespace viv::klavis {

std::string BaseUrlOf(const LocalContext& context, const http::Request& request) {
  return context.public_url.empty() ? request.BaseUrl() : context.public_url;
}

std::string_view LocalStatusOf(const boxes::Box& box) {
  return box.state == boxes::BoxState::kFailed ? "error" : "occupied";
}

json::array LocalServerItems(const LocalContext& context,
                             const boxes::Box& box,
                             const std::string& base_url) {
  json::array items;
  const std::optional<local::LocalAnnotation> annotation = local::LocalAnnotationOf(box);
  if (!annotation) return items;
  const std::string uuid = boxes::UuidOfBox(box.id);
  json::object common;
  if (auto email = annotation->dialect_data.find("test_account_email");
      email != annotation->dialect_data.end())
    common["test_account_email"] = email->value();
  for (const local::LocalAnnotation::Server& server : annotation->servers) {
    const std::string url =
        base_url + "/" + PercentEncode(server.name) + "/mcp/?local_sandbox_id=" + uuid;
    const bool offered = context.local.servers().Find(server.name) != nullptr;
    json::object metadata = common;
    if (!offered) metadata["error"] = local::NotOfferedText(server.name);
    items.push_back(
        json::object{{"server_name", server.name},
                     {"id", server.id},
                     {"mcp_server_url", url},
                     {"status", json::string(offered ? LocalStatusOf(box) : "error")},
                     {"benchmark", TextOrNull(annotation->benchmark)},
                     {"updated_at", IsoMicros(box.updated_at_us)},
                     {"metadata", metadata.empty() ? json::value() : json::value(metadata)},
                     {"auth_data", nullptr},
                     {"tags", nullptr}});
  }
  return items;
}

json::object LocalSandboxInfo(const LocalContext& context,
                              const boxes::Box& box,
                              const std::string& base_url) {
  const std::optional<local::LocalAnnotation> annotation = local::LocalAnnotationOf(box);
  return {{"local_sandbox_id", boxes::UuidOfBox(box.id)},
          {"created_at", IsoMicros(box.created_at_us)},
          {"status", json::string(LocalStatusOf(box))},
          {"benchmark", TextOrNull(annotation ? annotation->benchmark : "")},
          {"servers", LocalServerItems(context, box, base_url)}};
}

Result<boxes::BoxPtr> FindLocal(const LocalContext& context, const http::Request& request) {
  return context.local.Get(request.identity.account_id, request.Parameter("local_sandbox_id"));
}

void CheckRegion(Validator& validator, const http::Request& request) {
  const std::optional<std::string> region = request.Query("region");
  if (!region || *region == "us" || *region == "asia") return;
  validator.AddChoice({json::string("query"), json::string("region")}, {"us", "asia"},
                      json::string(*region));
}

http::Response UploadUrlResponse(LocalContext& context,
                                 const http::Request& request,
                                 const blobs::BlobName& name) {
  auto url = context.blobs.UploadUrl(BaseUrlOf(context, request), name);
  if (!url) return RenderError(url.error());
  json::object response{{"upload_url", *url}, {"expires_in_minutes", blobs::kUrlMinutes}};
  return http::Json(200, WriteJson(response));
}

http::Response DownloadUrlResponse(const LocalContext& context,
                                   const http::Request& request,
                                   const blobs::BlobName& name) {
  json::object response{
      {"download_url", context.blobs.DownloadUrl(BaseUrlOf(context, request), name)},
      {"expires_in_minutes", blobs::kUrlMinutes}};
  return http::Json(200, WriteJson(response));
}

}  // namespace viv::klavis
