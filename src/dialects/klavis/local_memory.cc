#include "dialects/klavis/local_memory.h"

#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_shapes.h"
#include "dialects/klavis/local_transfer.h"
#include "dialects/klavis/memory_file.h"

namespace viv::klavis {
namespace {

constexpr std::size_t kMemoryBytesMax = 64 << 20;

// $1 is the folder, $2 the file. A reader sees the old one or the new one.
constexpr char kInstallScript[] =
    R"sh(mkdir -p -- "$1" && cat > "$2.upload" && mv -fT -- "$2.upload" "$2")sh";

Task<Result<std::string>> ReadWholeBlob(LocalContext& context, blobs::BlobName name) {
  ASSIGN_OR_CO_RETURN(boxes::ByteSource source, ReadBlob(context, name));
  std::string text;
  for (;;) {
    ASSIGN_OR_CO_RETURN(std::string piece, co_await source());
    if (piece.empty()) co_return text;
    text += piece;
    if (text.size() > kMemoryBytesMax)
      co_return Fail(ErrorCode::kLimitExceeded, "a memory file has at most 64 MiB");
  }
}

}  // namespace

blobs::BlobName MemoryUpload(std::string_view box_id) {
  return blobs::NameOf(box_id, blobs::BlobName::Kind::kUpload, "memory");
}

Task<http::Response> GetMemoryUploadUrl(LocalContext& context, http::Request& request) {
  Validator validator;
  CheckRegion(validator, request);
  if (!validator.ok()) co_return RenderProblems(validator.problems());
  auto box =
      context.local.GetByServer(request.identity.account_id, request.Parameter("local_sandbox_id"));
  if (!box) co_return RenderError(box.error());
  const std::optional<local::LocalAnnotation> annotation = local::LocalAnnotationOf(**box);
  if (!annotation || !annotation->Has("localmemory"))
    co_return Detail(400, "The sandbox was acquired without localmemory");
  co_return UploadUrlResponse(context, request, MemoryUpload((*box)->id));
}

Task<Status> InstallMemory(LocalContext& context, blobs::BlobName name) {
  ASSIGN_OR_CO_RETURN(boxes::BoxPtr box, context.local.Find(name.owner));
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadWholeBlob(context, name));
  CO_RETURN_IF_ERROR(CheckMemoryLines(text));
  const std::optional<local::LocalAnnotation> annotation = local::LocalAnnotationOf(*box);
  const std::string file = MemoryFileOf(annotation ? annotation->benchmark : "");
  boxes::AgentProgram program;
  program.arguments = {"/bin/sh", "-c", kInstallScript, "sh", file.substr(0, file.rfind('/')),
                       file};
  program.folder = std::string(local::kWorkspace);
  ASSIGN_OR_CO_RETURN(boxes::ByteSource source, ReadBlob(context, name));
  auto installed =
      co_await context.local.RunForText(std::move(box), std::move(program), std::move(source), 0);
  if (!installed) co_return PassUp(std::move(installed).error(), "put the memory in its place");
  co_return Status();
}

}  // namespace viv::klavis
