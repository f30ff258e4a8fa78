#pragma once
// Everything behind local sandboxes beside their boxes: the blobs that archives travel in, the
// domain and the dialect's routes.

#include <memory>
#include <string>

#include "base/blocking_pool.h"
#include "base/result.h"
#include "base/task.h"
#include "blobs/blob_routes.h"
#include "dialects/klavis/local_context.h"
#include "http/middleware/auth.h"
#include "http/router.h"
#include "sandbox/local_sandboxes.h"
#include "sandbox/local_servers.h"
#include "sandbox/secrets.h"
#include "server/box_service.h"
#include "server/settings.h"

namespace viv::server {

class LocalService {
 public:
  struct Parts {
    const Settings& settings;
    BlockingPool& pool;
    BoxService& boxes;
    const sandbox::LocalServers& servers;
    const std::string& secret;
    sandbox::Budgets& budgets;
  };
  static Result<std::unique_ptr<LocalService>> Open(Parts parts);  // all outlives it

  void AddTo(http::Router& router, const http::KeyLookup& keys);
  // Removes blobs whose time is over: now, and every minute. For the background; never ends.
  Task<void> SweepBlobs();

 private:
  LocalService(Parts parts, std::unique_ptr<blobs::BlobStore> store);

  sandbox::Boxes& boxes_;
  BlockingPool& pool_;
  const sandbox::Secrets secrets_;
  const std::unique_ptr<blobs::BlobStore> store_;
  blobs::Blobs blobs_;
  sandbox::LocalSandboxes local_;
  klavis::LocalContext context_;
};

}  // namespace viv::server
