#include "dialects/langsmith/snapshots.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "boxes/box_ids.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/run_config.h"
#include "dialects/langsmith/snapshot_operations.h"
#include "dialects/langsmith/snapshot_shape.h"

namespace viv::langsmith {
namespace {

constexpr http::RouteEntry<SnapshotWriter> kSnapshotRoutes[] = {
    {"POST", "/boxes/{name}/snapshot", CaptureSnapshot},
    {"POST", "/snapshots", CreateSnapshot},
    {"GET", "/snapshots", ListSnapshots},
    {"GET", "/snapshots/{snapshot_ref}", GetSnapshot},
    {"DELETE", "/snapshots/{snapshot_ref}", DeleteSnapshot},
    {"GET", "/snapshots-by-name/{name}", GetSnapshotByName},
};

// What boxes from it begin with.
json::value RunConfigOf(const KnownSnapshot& snapshot) {
  RunConfig base_config;
  if (!snapshot.user.empty()) base_config.user = snapshot.user;
  if (!snapshot.workdir.empty()) base_config.work_dir = snapshot.workdir;
  const Checked<RunConfig> own = ReadRunConfig(snapshot.run_config);
  const RunConfig whole = own ? OverlayRunConfig(base_config, *own) : base_config;
  return whole.empty() ? json::value() : json::value(ShowRunConfig(whole));
}

}  // namespace

http::RouteTable<SnapshotWriter> SnapshotRoutes() {
  return kSnapshotRoutes;
}

Result<ResolvedSnapshot> ResolveSnapshot(const Context& context,
                                         std::string_view account_id,
                                         std::string_view ref) {
  ASSIGN_OR_RETURN(KnownSnapshot found, FindSnapshot(context, account_id, ref));
  switch (found.status) {
    case SnapshotStatus::kBuilding:
      return Fail(ErrorCode::kConflict,
                  "snapshot '" + Printable(ref) + "' is being built: wait until it is ready");
    case SnapshotStatus::kFailed:
      return Fail(ErrorCode::kInvalidArgument,
                  "the build of snapshot '" + Printable(ref) + "' failed: " + found.message);
    case SnapshotStatus::kReady:
      break;
  }
  ResolvedSnapshot resolved;
  resolved.template_name = found.id;
  resolved.run_config = RunConfigOf(found);
  resolved.id = boxes::UuidOfTemplate(found.id);
  resolved.disk_bytes = found.disk_bytes;
  resolved.labels = std::move(found.labels);
  return resolved;
}

Task<http::Response> GetSnapshot(SnapshotWriter& writer, http::Request& request) {
  auto found = FindSnapshot(writer.context(), request.identity.account_id,
                            request.Parameter("snapshot_ref"));
  if (!found) co_return FailureOf(found.error());
  co_return http::Json(200, WriteJson(ShowSnapshot(*found)));
}

Task<http::Response> DeleteSnapshot(SnapshotWriter& writer, http::Request& request) {
  auto found = FindSnapshot(writer.context(), request.identity.account_id,
                            request.Parameter("snapshot_ref"));
  if (!found) co_return FailureOf(found.error());
  Status removed = co_await writer.Remove(*std::move(found));
  if (!removed) co_return FailureOf(removed.error());
  co_return http::Empty(204);
}

Task<http::Response> GetSnapshotByName(SnapshotWriter& writer, http::Request& request) {
  const std::string_view name = request.Parameter("name");
  bool exists = false;
  json::array tags;
  for (const KnownSnapshot& one : KnownSnapshots(writer.context(), request.identity.account_id)) {
    if (one.name != name) continue;
    exists = true;
    for (const std::string& tag : one.tags)
      tags.push_back(json::object{{"tag", tag}, {"snapshot_id", boxes::UuidOfTemplate(one.id)}});
  }
  if (!exists)
    co_return Failure(404, "ResourceNotFound",
                      "there is no snapshot named '" + Printable(name) + "'");
  json::object response{{"name", json::string(name)}, {"tags", std::move(tags)}};
  co_return http::Json(200, WriteJson(response));
}

}  // namespace viv::langsmith
