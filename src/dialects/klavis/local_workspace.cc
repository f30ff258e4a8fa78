// The workspace as an archive: where to upload one, unpacking it, and downloading what is there.

#include "base/log.h"
#include "boxes/box_ids.h"
#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_shapes.h"
#include "dialects/klavis/local_transfer.h"

namespace viv::klavis {
namespace {

blobs::BlobName WorkspaceUpload(const boxes::Box& box) {
  return blobs::NameOf(box.id, blobs::BlobName::Kind::kUpload, "workspace");
}

std::string InitializedText(const std::string& report) {
  auto parsed = ParseJson(report);
  const json::value* files = parsed ? Find(*parsed, "files") : nullptr;
  const std::string count = files != nullptr && files->is_int64()
                                ? std::to_string(files->get_int64()) + " files"
                                : "the uploaded files";
  return "Extracted archive to workspace: " + count;
}

}  // namespace

Task<http::Response> GetUploadUrl(LocalContext& context, http::Request& request) {
  Validator validator;
  CheckRegion(validator, request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto box = FindLocal(context, request);
  if (!box) co_return RenderError(box.error());
  co_return UploadUrlResponse(context, request, WorkspaceUpload(**box));
}

Task<http::Response> InitializeLocalSandbox(LocalContext& context, http::Request& request) {
  Validator validator;
  CheckRegion(validator, request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto box = FindLocal(context, request);
  if (!box) co_return RenderError(box.error());
  const std::string uuid = boxes::UuidOfBox((*box)->id);
  UnpackInBox what;
  what.archive = WorkspaceUpload(**box);
  what.folder = std::string(local::kWorkspace);
  AsyncMutex::Lock workspace_lock = co_await context.local.LockWorkspace(*box);
  auto report = co_await UnpackBlob(context, *std::move(box), std::move(what));
  if (!report && report.error().code == ErrorCode::kNotFound)
    co_return Detail(400,
                     "Nothing was uploaded: POST to upload-url, PUT a tar.gz to the URL it gives, "
                     "then initialize");
  if (!report && report.error().code == ErrorCode::kInvalidArgument)
    co_return Detail(422, "The uploaded archive was refused, and the workspace is as it was: " +
                              report.error().message);
  if (!report) co_return RenderError(report.error());
  log::Info("local.initialized", {{"sandbox", uuid}});
  json::object response{
      {"sandbox_id", uuid}, {"status", "occupied"}, {"message", InitializedText(*report)}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> DumpLocalSandbox(LocalContext& context, http::Request& request) {
  Validator validator;
  CheckRegion(validator, request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto box = FindLocal(context, request);
  if (!box) co_return RenderError(box.error());
  auto packed = co_await PackToBlob(context, *std::move(box), std::string(local::kWorkspace));
  if (!packed) co_return RenderError(packed.error());
  co_return DownloadUrlResponse(context, request, *packed);
}

}  // namespace viv::klavis
