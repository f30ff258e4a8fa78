#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_memory.h"
#include "dialects/klavis/routes.h"

namespace viv::klavis {
namespace {

constexpr http::RouteEntry<LocalContext> kLocalRoutes[] = {
    {"POST", "/local-sandbox", AcquireLocalSandbox},
    {"GET", "/local-sandbox", ListLocalSandboxes},
    {"GET", "/local-sandbox/{local_sandbox_id}", GetLocalSandbox},
    {"DELETE", "/local-sandbox/{local_sandbox_id}", ReleaseLocalSandbox},
    {"POST", "/local-sandbox/{local_sandbox_id}/reset", ResetLocalSandbox},
    {"POST", "/local-sandbox/{local_sandbox_id}/upload-url", GetUploadUrl},
    {"POST", "/local-sandbox/{local_sandbox_id}/initialize", InitializeLocalSandbox},
    {"GET", "/local-sandbox/{local_sandbox_id}/dump", DumpLocalSandbox},
    {"POST", "/local-sandbox/{local_sandbox_id}/execution-upload-url", GetExecutionUploadUrl},
    {"POST", "/local-sandbox/{local_sandbox_id}/execute", Execute},
    {"GET", "/local-sandbox/{local_sandbox_id}/execution-status", GetExecutionStatus},
    {"GET", "/local-sandbox/{local_sandbox_id}/execution-logs", GetExecutionLogs},
    {"POST", "/local-sandbox/{local_sandbox_id}/export-artifacts", ExportArtifacts},
    {"POST", "/local-sandbox/{local_sandbox_id}/memory-upload-url", GetMemoryUploadUrl},
    {"POST", "/sandbox/local_memory/{local_sandbox_id}/upload-url", GetMemoryUploadUrl},
};

}  // namespace

http::Router LocalRoutes(LocalContext& context, const http::KeyLookup& keys) {
  http::Router router;
  http::AddRoutes<LocalContext>(router, kLocalRoutes, context, http::Auth(keys, RenderAuthFailure));
  context.blobs.OnUploaded(MemoryUpload("any").leaf, [&context](blobs::BlobName name) {
    return InstallMemory(context, std::move(name));
  });
  return router;
}

http::Router UnavailableLocalRoutes(std::string why) {
  http::Router router;
  http::AddRoutesServedBy<LocalContext>(router, kLocalRoutes,
                                        http::AlwaysError(503, std::move(why), RenderRouteError));
  return router;
}

}  // namespace viv::klavis
