#include <algorithm>
#include <utility>

#include "dialects/langsmith/body.h"
#include "dialects/langsmith/box_name.h"
#include "dialects/langsmith/box_request.h"
#include "dialects/langsmith/box_shape.h"
#include "dialects/langsmith/create_timeout.h"
#include "dialects/langsmith/errors.h"
#include "dialects/langsmith/operations.h"
#include "dialects/langsmith/proxy_plan.h"
#include "dialects/langsmith/snapshots.h"

namespace viv::langsmith {
namespace {

using CreateBoxOrResponse = tl::expected<boxes::CreateBox, http::Response>;

// A snapshot whose build failed is not an invalid request, but no box can start from it.
http::Response SnapshotFailure(const Error& error) {
  if (error.code == ErrorCode::kInvalidArgument) return Failure(422, "ImagePull", error.message);
  return FailureOf(error);
}

http::Response SmallerThanSnapshot(std::int64_t disk_bytes) {
  return InvalidField({"fs_capacity_bytes"},
                      "the disk cannot be smaller than the snapshot's: at least " +
                          std::to_string(disk_bytes) + " bytes are expected, or leave it out");
}

// Resolves what the box starts from, and with it the layer below its own run_config.
tl::expected<void, http::Response> Resolve(const Context& context,
                                           BoxRequest& request,
                                           boxes::CreateBox& box) {
  box.template_name = "base";
  std::int64_t disk_default = kDefaultDiskBytes;
  if (!request.snapshot.empty()) {
    auto snapshot = ResolveSnapshot(context, box.account_id, request.snapshot);
    if (!snapshot) return tl::unexpected(SnapshotFailure(snapshot.error()));
    box.template_name = snapshot->template_name;
    if (auto base_config = ReadRunConfig(snapshot->run_config))
      request.annotation.base_config = *std::move(base_config);
    if (request.size_request.disk_bytes.value_or(snapshot->disk_bytes) < snapshot->disk_bytes)
      return tl::unexpected(SmallerThanSnapshot(snapshot->disk_bytes));
    disk_default = std::max(disk_default, snapshot->disk_bytes);
    request.labels.merge(snapshot->labels);  // the request's own win
  }
  auto size = SizeOfNew(request.size_request, disk_default);
  if (!size) return tl::unexpected(RenderFieldError(size.error()));
  box.limits = size->limits;
  box.disk_bytes = size->disk_bytes;
  return {};
}

CreateBoxOrResponse ToDomain(const Context& context,
                             const std::string& account_id,
                             BoxRequest& request) {
  boxes::CreateBox box;
  box.account_id = account_id;
  if (auto resolved = Resolve(context, request, box); !resolved)
    return tl::unexpected(std::move(resolved.error()));
  box.name = request.name.empty() ? UnusedBoxName(context, account_id) : request.name;
  box.metadata = std::move(request.labels);
  Environment environment = EnvironmentOf(request.annotation);
  box.user = std::move(environment.user);
  box.workdir = std::move(environment.workdir);
  box.variables = std::move(environment.variables);
  box.network.egress = EgressOf(request.annotation.proxy_config);
  box.network.plan =
      PlanOf(request.annotation.proxy_config, AccountSealerOf(context.sealer, account_id));
  box.annotations[std::string(kAnnotationName)] = WriteAnnotation(request.annotation);
  box.wake = boxes::WakeOnTraffic::kAlways;
  box.timeout_seconds = 0;
  box.idle_seconds = request.idle_seconds;
  box.keep_memory = request.keep_memory;
  box.disposable = !request.persistent;
  box.keep_stopped_seconds = request.keep_stopped_seconds;
  box.survives_exit = true;
  if (!request.wait_for_ready) box.return_when = boxes::CreateBox::ReturnWhen::kRecorded;
  return box;
}

http::Response CreationFailure(const Error& error, const std::string& name) {
  switch (error.code) {
    case ErrorCode::kConflict:
      return Failure(409, "Conflict",
                     "a sandbox named '" + name + "' exists already: choose another name");
    case ErrorCode::kUnavailable:
      if (error.message == kCreateTimedOut) {
        return Failure(408, "Timeout",
                       "sandbox '" + name +
                           "' was not ready in time (last status: provisioning) and is removed: "
                           "wait longer, or create it with wait_for_ready false");
      }
      return Failure(503, "Unschedulable", error.message);
    default:
      return FailureOf(error);
  }
}

}  // namespace

Task<http::Response> CreateBox(Context& context, http::Request& request) {
  auto body = ReadBody(request, Body::kRequired, kConfigBodyBytesMax);
  if (!body) co_return std::move(body.error());
  const std::string account_id = request.identity.account_id;
  auto read = ReadBoxRequest(*body, account_id, AccountSealerOf(context.sealer, account_id));
  if (!read) co_return RenderFieldError(read.error());
  auto asked = ToDomain(context, account_id, *read);
  if (!asked) co_return std::move(asked.error());
  const std::string name = asked->name;
  auto made = co_await CreateWithTimeout(context.boxes, std::move(*asked), read->ready_timeout);
  if (!made) co_return CreationFailure(made.error(), name);
  co_return http::Json(201, WriteJson(ShowBox(OriginOf(context, request), **made)));
}

}  // namespace viv::langsmith
