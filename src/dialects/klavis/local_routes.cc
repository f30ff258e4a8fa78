#include "dialects/klavis/errors.h"
#include "dialects/klavis/local_memory.h"
#include "dialects/klavis/routes.h"

namespace viv::klavis {
namespace {

struct LocalRoute {
  std::string_view method;
  std::string_view path;
  LocalOperation* operation;
};

constexpr LocalRoute kLocalRoutes[] = {
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
  http::Middleware auth = http::Auth(keys, RenderAuthFailure);
  for (const LocalRoute& route : kLocalRoutes) {
    router.Add(route.method, route.path,
               auth([&context, operation = route.operation](http::Request& request) {
                 return operation(context, request);
               }));
  }
  context.blobs.OnUploaded(MemoryUpload("any").leaf, [&context](blobs::BlobName name) {
    return InstallMemory(context, std::move(name));
  });
  return router;
}

http::Router NoLocalRoutes(std::string why) {
  http::Router router;
  for (const LocalRoute& route : kLocalRoutes) {
    router.Add(route.method, route.path,
               [why](http::Request&) -> Task<http::Response> { co_return Detail(503, why); });
  }
  return router;
}

}  // namespace viv::klavis
