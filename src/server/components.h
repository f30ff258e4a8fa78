#pragma once
// The components of a server below its HTTP routes. Each is built of those before it; they are
// destroyed in reverse.

#include <memory>
#include <string>

#include "accounts/accounts.h"
#include "accounts/budgets.h"
#include "base/blocking_pool.h"
#include "base/fair_pool.h"
#include "base/result.h"
#include "engine/catalogue.h"
#include "local/local_servers.h"
#include "server/box_service.h"
#include "server/server_key.h"
#include "server/settings.h"
#include "store/sqlite/sqlite_store.h"
#include "worlds/sandboxes.h"

namespace viv::server {

struct Components {
  explicit Components(const Settings& of) : settings(of) {}

  const Settings& settings;
  local::LocalServers local_servers;  // that local sandboxes may have: ours and the operator's
  std::unique_ptr<store::SqliteStore> store;
  std::string secret;  // signs sessions and seals what must not be read
  std::unique_ptr<accounts::Accounts> accounts;
  std::unique_ptr<ServerKey> server_key;
  std::unique_ptr<accounts::Budgets> budgets;
  std::unique_ptr<engine::Catalogue> catalogue;
  std::unique_ptr<worlds::Worlds> worlds;
  std::unique_ptr<BlockingPool> pool;
  std::unique_ptr<FairPool> world_pool;
  std::unique_ptr<BoxService> boxes;  // nullptr on a server without boxes
  std::string why_no_boxes;           // and how to get them
  std::unique_ptr<worlds::Sandboxes> sandboxes;
};

// `settings` outlives the components.
Result<std::unique_ptr<Components>> OpenComponents(const Settings& settings);

// What /readyz complains of. A machine that never held boxes is ready without them.
std::vector<std::string> ProblemsOf(const Components& components);

}  // namespace viv::server
