#pragma once
// The components of local sandboxes beside their boxes: the blobs for archives, the domain and the
// dialect's routes.

#include <memory>
#include <string>

#include "accounts/sealer.h"
#include "base/blocking_pool.h"
#include "base/result.h"
#include "base/task.h"
#include "blobs/blob_routes.h"
#include "dialects/klavis/local_context.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "local/local_sandboxes.h"
#include "local/local_servers.h"
#include "server/box_service.h"
#include "server/settings.h"

namespace viv::server {

class LocalService {
 public:
  struct Parts {
    const Settings& settings;
    BlockingPool& pool;
    BoxService& boxes;
    const local::LocalServers& servers;
    const std::string& secret;
    accounts::Budgets& budgets;
  };
  static Result<std::unique_ptr<LocalService>> Open(Parts parts);  // all outlives it

  http::Router Routes(const http::KeyLookup& keys);  // of the dialect, without a prefix
  void AddBlobsTo(http::Router& router) { blobs_.AddTo(router); }
  // Removes expired blobs, now and every minute. For the background; never returns.
  Task<void> SweepBlobs();

 private:
  LocalService(Parts parts, std::unique_ptr<blobs::BlobStore> store);

  boxes::Boxes& boxes_;
  BlockingPool& pool_;
  const accounts::Sealer sealer_;
  const std::unique_ptr<blobs::BlobStore> store_;
  blobs::Blobs blobs_;
  local::LocalSandboxes local_;
  klavis::LocalContext context_;
};

}  // namespace viv::server
