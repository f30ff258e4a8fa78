// The operations on executions.

#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_execution.h"
#include "dialects/klavis/local_shapes.h"
#include "dialects/klavis/local_transfer.h"

namespace viv::klavis {
namespace {

using local::LocalAnnotation;

// A sandbox and one of its executions, or how the request is refused.
struct ExecutionRef {
  boxes::BoxPtr box;
  std::string name;
  std::optional<http::Response> refused;
};

void CheckExecutionName(Validator& validator, json::array location, const std::string& name) {
  if (IsExecutionName(name)) return;
  validator.Add(std::move(location), "string_pattern_mismatch",
                "Input should be up to 64 letters, digits, '.', '-' or '_', the first a letter or "
                "digit",
                json::string(name));
}

std::string NameInBody(Validator& validator, const http::Request& request) {
  const json::value body = validator.Body(request);
  json::array location{json::string("body"), json::string("execution_name")};
  const std::optional<std::string> name = validator.Text(body, "execution_name");
  if (name) {
    CheckExecutionName(validator, std::move(location), *name);
  } else if (validator.ok()) {
    validator.Add(std::move(location), "missing", "Field required", body);
  }
  return name.value_or("");
}

std::string NameInQuery(Validator& validator, const http::Request& request) {
  json::array location{json::string("query"), json::string("execution_name")};
  const std::optional<std::string> name = request.Query("execution_name");
  if (name) {
    CheckExecutionName(validator, std::move(location), *name);
  } else {
    validator.Add(std::move(location), "missing", "Field required", nullptr);
  }
  return name.value_or("");
}

enum class NameFrom { kBody, kQuery };
enum class Existence { kRequired, kOptional };
ExecutionRef ReadExecutionRef(const LocalContext& context,
                              const http::Request& request,
                              NameFrom from,
                              Existence existence,
                              Validator validator = {}) {
  ExecutionRef ref;
  CheckRegion(validator, request);
  ref.name =
      from == NameFrom::kBody ? NameInBody(validator, request) : NameInQuery(validator, request);
  if (!validator.ok()) {
    ref.refused = RenderProblems(validator.problems());
    return ref;
  }
  auto box = FindLocal(context, request);
  if (!box) {
    ref.refused = RenderError(box.error());
    return ref;
  }
  ref.box = *std::move(box);
  const std::optional<LocalAnnotation> annotation = local::LocalAnnotationOf(*ref.box);
  if (existence == Existence::kRequired &&
      !(annotation && HasExecution(annotation->dialect_data, ref.name)))
    ref.refused = Detail(
        404, "Execution '" + ref.name + "' not found: POST its name to execution-upload-url first");
  return ref;
}

blobs::BlobName ExecutionUpload(const ExecutionRef& ref) {
  return blobs::NameOf(ref.box->id, blobs::BlobName::Kind::kUpload, "execution:" + ref.name);
}

Task<Result<ExecutionProgress>> Progress(LocalContext& context,
                                         boxes::BoxPtr box,
                                         std::string name,
                                         std::int64_t cursor) {
  boxes::AgentProgram program = ReadExecution(name, cursor);
  ASSIGN_OR_CO_RETURN(std::string printed,
                      co_await context.local.RunForText(std::move(box), std::move(program), nullptr,
                                                        kExecutionReadMax));
  co_return ReadProgress(printed, cursor);
}

// Unpacks the execution again and starts it.
Task<Status> StartExecution(LocalContext& context, ExecutionRef ref) {
  boxes::AgentProgram remove = RemoveExecution(ref.name);
  auto removed = co_await context.local.RunForText(ref.box, std::move(remove), nullptr, 0);
  if (!removed) co_return PassUp(std::move(removed).error(), "remove the execution before");
  UnpackInBox what;
  what.archive = ExecutionUpload(ref);
  what.folder = ExecutionFolder(ref.name);
  what.make_folder = true;
  auto unpacked = co_await UnpackBlob(context, ref.box, std::move(what));
  if (!unpacked) co_return PassUp(std::move(unpacked).error());
  boxes::BackgroundCommand command = RunExecution(ref.name);
  co_return co_await context.local.Start(ref.box, std::move(command));
}

}  // namespace

Task<http::Response> GetExecutionUploadUrl(LocalContext& context, http::Request& request) {
  ExecutionRef ref = ReadExecutionRef(context, request, NameFrom::kBody, Existence::kOptional);
  if (ref.refused) co_return *std::move(ref.refused);
  AsyncMutex::Lock workspace_lock = co_await context.local.LockWorkspace(ref.box);
  auto fresh = FindLocal(context, request);  // the state after the lock was acquired
  if (!fresh) co_return RenderError(fresh.error());
  std::optional<LocalAnnotation> annotation = local::LocalAnnotationOf(**fresh);
  if (annotation && !HasExecution(annotation->dialect_data, ref.name)) {
    AddExecution(annotation->dialect_data, ref.name);
    Status kept =
        co_await context.local.SetDialectData(*fresh, std::move(annotation->dialect_data));
    if (!kept) co_return RenderError(kept.error());
  }
  co_return UploadUrlResponse(context, request, ExecutionUpload(ref));
}

Task<http::Response> Execute(LocalContext& context, http::Request& request) {
  ExecutionRef ref = ReadExecutionRef(context, request, NameFrom::kBody, Existence::kRequired);
  if (ref.refused) co_return *std::move(ref.refused);
  const std::string name = ref.name;
  if (!context.blobs.store().OpenToRead(ExecutionUpload(ref)))
    co_return Detail(400, "Nothing was uploaded for execution '" + name +
                              "': PUT a tar.gz with main.py to the URL of execution-upload-url");
  AsyncMutex::Lock workspace_lock = co_await context.local.LockWorkspace(ref.box);
  auto before = co_await Progress(context, ref.box, name, 0);
  if (!before) co_return RenderError(before.error());
  if (before->status == "running")
    co_return Detail(409, "Execution '" + name + "' is running: wait for its end");
  Status launched = co_await StartExecution(context, std::move(ref));
  if (!launched && launched.error().code == ErrorCode::kInvalidArgument)
    co_return Detail(422, "The uploaded archive was refused: " + launched.error().message);
  if (!launched) co_return RenderError(launched.error());
  json::object response{{"message", "Execution '" + name + "' started"}, {"execution_name", name}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> GetExecutionStatus(LocalContext& context, http::Request& request) {
  ExecutionRef ref = ReadExecutionRef(context, request, NameFrom::kQuery, Existence::kRequired);
  if (ref.refused) co_return *std::move(ref.refused);
  constexpr std::int64_t kNoOutput = 1LL << 60;
  auto progress = co_await Progress(context, ref.box, ref.name, kNoOutput);
  if (!progress) co_return RenderError(progress.error());
  json::object response{{"status", progress->status}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> GetExecutionLogs(LocalContext& context, http::Request& request) {
  Validator validator;
  const std::int64_t cursor = validator.QueryInteger(request, "cursor", 0).value_or(0);
  ExecutionRef ref = ReadExecutionRef(context, request, NameFrom::kQuery, Existence::kRequired,
                                      std::move(validator));
  if (ref.refused) co_return *std::move(ref.refused);
  auto progress = co_await Progress(context, ref.box, ref.name, cursor);
  if (!progress) co_return RenderError(progress.error());
  json::object response{
      {"status", progress->status}, {"logs", progress->logs}, {"cursor", progress->cursor}};
  co_return http::Json(200, WriteJson(response));
}

Task<http::Response> ExportArtifacts(LocalContext& context, http::Request& request) {
  ExecutionRef ref = ReadExecutionRef(context, request, NameFrom::kBody, Existence::kRequired);
  if (ref.refused) co_return *std::move(ref.refused);
  std::string folder = ExecutionFolder(ref.name);
  auto packed = co_await PackToBlob(context, ref.box, std::move(folder));
  if (!packed && packed.error().code == ErrorCode::kInvalidArgument)
    co_return Detail(404, "Execution '" + ref.name + "' has no artifacts: it was not executed");
  if (!packed) co_return RenderError(packed.error());
  co_return DownloadUrlResponse(context, request, *packed);
}

}  // namespace viv::klavis
