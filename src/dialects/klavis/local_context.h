#pragma once
// What every handler of local sandboxes needs, and the routes that lead to them. One file per
// operation or small group. They stand apart from the hosted ones, since they need boxes.

#include <string>
#include <string_view>

#include "base/blocking_pool.h"
#include "base/task.h"
#include "blobs/blob_routes.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "local/local_sandboxes.h"

namespace viv::klavis {

struct LocalContext {
  local::LocalSandboxes& local;
  blobs::Blobs& blobs;
  BlockingPool& pool;
  std::string public_url = {};  // empty: the one the client used
};

using LocalOperation = Task<http::Response>(LocalContext& context, http::Request& request);
LocalOperation AcquireLocalSandbox, GetLocalSandbox, ListLocalSandboxes, ReleaseLocalSandbox,
    ResetLocalSandbox, GetUploadUrl, InitializeLocalSandbox, DumpLocalSandbox, GetMemoryUploadUrl;
LocalOperation GetExecutionUploadUrl, Execute, GetExecutionStatus, GetExecutionLogs,
    ExportArtifacts;

// Every route of them; `context` outlives the router. An uploaded memory is put in its place
// without a further call: `context.blobs` is told so here.
http::Router LocalRoutes(LocalContext& context, const http::KeyLookup& keys);
// The same paths on a server that cannot run any, with the reason.
http::Router NoLocalRoutes(std::string why);

}  // namespace viv::klavis
