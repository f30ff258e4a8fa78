#include <utility>

#include "base/log.h"
#include "dialects/langsmith/body.h"
#include "dialects/langsmith/box_annotation.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/snapshot_operations.h"
#include "dialects/langsmith/snapshot_request.h"
#include "dialects/langsmith/snapshot_shape.h"

namespace viv::langsmith {
namespace {

// User and folder of the sandbox are stored for sandboxes from the snapshot, unless they are the
// defaults.
void KeepEnvironment(const boxes::BoxSpec& spec, KnownSnapshot& snapshot) {
  if (spec.user == "root" && spec.workdir == "/root") return;
  snapshot.user = spec.user;
  snapshot.workdir = spec.workdir;
}

// Those the request gives stay; the vendor's own are about that one sandbox.
void IncludeLabels(const boxes::BoxSpec& spec, KnownSnapshot& snapshot) {
  snapshot.included = {"labels"};
  for (const auto& [key, value] : spec.metadata)
    if (!key.starts_with("com.langchain.")) snapshot.labels.emplace(key, value);
}

}  // namespace

// Copying the files takes milliseconds: the snapshot is ready in the answer already.
Task<http::Response> CaptureSnapshot(SnapshotWriter& writer, http::Request& request) {
  Context& context = writer.context();
  const std::string account_id = request.identity.account_id;
  auto body = ReadBody(request, Body::kRequired);
  if (!body) co_return std::move(body.error());
  auto asked = ReadCaptureRequest(*body);
  if (!asked) co_return RenderFieldError(asked.error());
  auto box = FindBox(context, account_id, request.Parameter("name"));
  if (!box) co_return FailureOf(box.error());
  if ((*box)->spec.disposable)
    co_return Failure(400, "InvalidRequest",
                      "a sandbox that is not persistent cannot be captured: create it without "
                      "persistent false");
  const std::int64_t disk_bytes = (*box)->spec.disk_bytes;
  if (asked->disk_bytes.value_or(disk_bytes) < disk_bytes) {
    std::string message = "a disk does not shrink: at least the " + std::to_string(disk_bytes) +
                          " bytes of the sandbox are expected";
    co_return InvalidField({"fs_capacity_bytes"}, std::move(message));
  }
  std::string name = DomainNameFor(context, account_id, asked->name);
  Variables variables = VariablesToCapture(AnnotationOf(**box));
  auto taken = co_await context.boxes.SnapshotWith(account_id, (*box)->id, std::move(name),
                                                   std::move(variables));
  if (!taken) co_return FailureOf(taken.error());
  KnownSnapshot snapshot;
  snapshot.id = taken->id;
  snapshot.account_id = account_id;
  snapshot.name = std::move(asked->name);
  snapshot.wanted_tag = std::move(asked->tag);
  snapshot.source_box = (*box)->id;
  snapshot.disk_bytes = asked->disk_bytes.value_or(taken->disk_bytes);
  snapshot.description = std::move(asked->description);
  snapshot.labels = std::move(asked->labels);
  if (asked->include_labels) IncludeLabels((*box)->spec, snapshot);
  snapshot.run_config = std::move(asked->run_config);
  KeepEnvironment((*box)->spec, snapshot);
  snapshot.created_by = account_id;
  snapshot.created_at_us = taken->created_at_us;
  auto kept = co_await writer.Save(std::move(snapshot));
  if (kept) co_return http::Json(201, WriteJson(ShowSnapshot(*kept)));
  Status removed = co_await context.boxes.RemoveTemplate(account_id, taken->id);
  if (!removed)
    log::Error("snapshot.not_removed", {{"id", taken->id}, {"error", removed.error().message}});
  co_return FailureOf(kept.error());
}

}  // namespace viv::langsmith
