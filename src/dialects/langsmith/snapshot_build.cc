#include <utility>

#include "base/text.h"
#include "boxes/box_ids.h"
#include "boxes/image_reference.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/registries.h"
#include "dialects/langsmith/snapshot_operations.h"
#include "dialects/langsmith/snapshot_request.h"
#include "dialects/langsmith/snapshot_shape.h"

namespace viv::langsmith {
namespace {

// Who we are to the image's registry, and how we reach it.
Checked<void> UseRegistry(const Context& context,
                          const std::string& account_id,
                          const SnapshotRequest& asked,
                          boxes::ImportImage& import) {
  if (asked.registry_id.empty()) return {};
  auto registry = OpenRegistry(context, account_id, asked.registry_id);
  if (!registry) return FailField({"registry_id"}, registry.error().message);
  auto reference = boxes::ParseImageReference(asked.docker_image);
  if (!reference || ToLower(reference->registry) != registry->host)
    return FailField({"docker_image"}, "registry '" + registry->name + "' is " + registry->host +
                                           ": the image's name must begin with " + registry->host +
                                           "/");
  import.login = std::move(registry->login);
  import.transport = registry->transport;
  return {};
}

}  // namespace

Task<http::Response> CreateSnapshot(SnapshotWriter& writer, http::Request& request) {
  Context& context = writer.context();
  auto body = ReadBody(request, Body::kRequired);
  if (!body) co_return std::move(body.error());
  auto asked = ReadBuildRequest(*body);
  if (!asked) co_return RenderFieldError(asked.error());
  boxes::ImportImage import;
  import.id = boxes::NewTemplateId();
  import.account_id = request.identity.account_id;
  import.name = DomainNameFor(context, import.account_id, asked->name);
  import.reference = asked->docker_image;
  import.disk_bytes = *asked->disk_bytes;
  auto used = UseRegistry(context, import.account_id, *asked, import);
  if (!used) co_return RenderFieldError(used.error());

  KnownSnapshot snapshot;
  snapshot.id = import.id;
  snapshot.account_id = import.account_id;
  snapshot.name = std::move(asked->name);
  snapshot.wanted_tag = std::move(asked->tag);
  snapshot.docker_image = std::move(asked->docker_image);
  snapshot.registry_id = std::move(asked->registry_id);
  snapshot.disk_bytes = import.disk_bytes;
  snapshot.description = std::move(asked->description);
  snapshot.labels = std::move(asked->labels);
  snapshot.run_config = std::move(asked->run_config);
  snapshot.created_by = import.account_id;
  snapshot.created_at_us = snapshot.updated_at_us = context.clock() * 1000;
  auto building = co_await writer.Build(std::move(snapshot), std::move(import));
  if (!building) co_return FailureOf(building.error());
  co_return http::Json(201, WriteJson(ShowSnapshot(*building)));
}

}  // namespace viv::langsmith
