#pragma once
// The context of all handlers of local sandboxes, and their routes. One file per operation or small
// group. They are separate from the hosted ones, because they need boxes.

#include <string>
#include <string_view>

#include "base/blocking_pool.h"
#include "base/task.h"
#include "blobs/blob_routes.h"
#include "http/middleware/auth.h"
#include "http/route_table.h"
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

// All routes of local sandboxes; `context` outlives the router. An uploaded memory file is
// installed without a further call, for which this registers a handler in `context.blobs`.
http::Router LocalRoutes(LocalContext& context, const http::KeyLookup& keys);
// The same routes on a server without boxes: each is answered with 503 and the reason.
http::Router UnavailableLocalRoutes(std::string why);

}  // namespace viv::klavis
