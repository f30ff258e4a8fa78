#include "server/components.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "base/ids.h"
#include "base/log.h"
#include "server/banner.h"
#include "server/budget_wiring.h"
#include "storage/disk_space.h"

namespace viv::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockingThreads = 4;

Status MakeDataFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return Fail(ErrorCode::kUnavailable,
                "cannot make the data folder " + path + ": " + error.message());
  fs::permissions(path, fs::perms::owner_all, error);  // keys and worlds are private
  return {};
}

Result<local::LocalServers> ReadLocalServers(const Settings& settings) {
  local::LocalServers servers;
  const std::string usual = settings.data + "/servers.yaml";
  std::error_code error;
  if (!settings.servers.empty()) {
    RETURN_IF_ERROR(servers.AddFile(settings.servers), "--servers");
  } else if (fs::exists(usual, error)) {
    RETURN_IF_ERROR(servers.AddFile(usual));
  }
  return servers;
}

// The records, and who may use them.
Status OpenRecords(Components& components) {
  const Settings& settings = components.settings;
  store::SqliteStore::Options options;
  if (!settings.sync) options.database.durability = store::Durability::kNormal;
  ASSIGN_OR_RETURN(components.store, store::SqliteStore::Open(settings.data + "/viv.db", options));
  ASSIGN_OR_RETURN(components.secret, ReadOrMakeSecret(settings.data + "/secret", RandomHex(64)));
  components.accounts = std::make_unique<accounts::Accounts>(*components.store);
  ASSIGN_OR_RETURN(components.server_key, ServerKey::Open(settings, *components.accounts));
  ASSIGN_OR_RETURN(components.budgets, OpenBudgets(settings, *components.store));
  return {};
}

// Old versions of apps stay while a sandbox stands on them.
void RemoveUnusedVersions(const store::Store& store, engine::Catalogue& catalogue) {
  std::set<std::string> used;
  store.ForEachSandbox([&used](const store::Sandbox& sandbox) {
    if (!sandbox.image.empty()) used.insert(sandbox.image);
  });
  for (const std::string& version : used) {
    auto found = catalogue.FindVersion(version);
    if (!found)
      log::Error("app.version_lost", {{"version", version}, {"error", found.error().message}});
  }
  catalogue.RemoveUnused([&used](const std::string& version) { return used.contains(version); });
}

void OpenWorlds(Components& components) {
  const Settings& settings = components.settings;
  engine::Catalogue::Options options;
  if (!settings.builtin_apps.empty()) options.folders.push_back(settings.builtin_apps);
  for (const std::string& folder : settings.apps) options.folders.push_back(folder);
  options.data = settings.data;
  components.catalogue = std::make_unique<engine::Catalogue>(std::move(options));
  if (!fs::exists(settings.data + "/images")) PrintFirstStart();
  for (const auto& load_error : components.catalogue->Refresh()) {
    log::Error("app.not_loaded", {{"app", load_error.app}, {"error", load_error.message}});
  }
  RemoveUnusedVersions(*components.store, *components.catalogue);
  components.worlds =
      std::make_unique<worlds::Worlds>(*components.catalogue, settings.data + "/worlds");
  components.worlds->RemoveOrphans([&store = *components.store](const std::string& lease_id) {
    return store.GetSandboxByLease(lease_id).has_value();
  });
}

// Boxes where the settings and the machine allow them; `why_no_boxes` says what stands against it.
Status StartBoxes(Components& components) {
  const Settings& settings = components.settings;
  components.why_no_boxes = "boxes are off: start the server with --boxes on";
  if (settings.boxes == "off") return {};
  auto started = BoxService::Start(settings, *components.store, *components.pool,
                                   *components.accounts, *components.budgets, components.secret);
  if (started) {
    // Data of the operator's that cannot be used is a mistake, not what the machine lacks.
    RETURN_IF_ERROR((*started)->OpenWorkspaces(settings));
    components.boxes = *std::move(started);
    return {};
  }
  if (settings.boxes == "on") return PassUp(std::move(started).error());
  components.why_no_boxes = "this server runs no boxes: " + started.error().message;
  log::Warn("boxes.off", {{"reason", started.error().message}});
  return {};
}

void OpenSandboxes(Components& components) {
  worlds::SandboxLimits limits;
  limits.sandboxes_per_server_max = components.settings.pool_max;
  limits.budgets = components.budgets.get();
  components.sandboxes = std::make_unique<worlds::Sandboxes>(
      *components.store, *components.catalogue, *components.worlds, *components.world_pool, limits);
}

}  // namespace

Result<std::unique_ptr<Components>> OpenComponents(const Settings& settings) {
  auto components = std::make_unique<Components>(settings);
  ASSIGN_OR_RETURN(components->local_servers, ReadLocalServers(settings));
  RETURN_IF_ERROR(MakeDataFolder(settings.data));
  RETURN_IF_ERROR(OpenRecords(*components));
  OpenWorlds(*components);
  components->pool = std::make_unique<BlockingPool>(kBlockingThreads);
  FairPool::Options world_pool_options;
  world_pool_options.threads =
      std::max<std::size_t>(kBlockingThreads, std::thread::hardware_concurrency());
  components->world_pool = std::make_unique<FairPool>(world_pool_options);
  RETURN_IF_ERROR(StartBoxes(*components), "boxes");
  OpenSandboxes(*components);
  return components;
}

std::vector<std::string> ProblemsOf(const Components& components) {
  if (components.boxes != nullptr) return components.boxes->Problems();
  const Settings& settings = components.settings;
  std::vector<std::string> problems;
  std::error_code error;
  if (settings.boxes != "off" && fs::exists(settings.data + "/boxes/store.img", error))
    problems.push_back(components.why_no_boxes);
  auto room = storage::ReadDiskSpace(settings.data, settings.data);
  if (room && room->IsLow()) problems.push_back(storage::DescribeLowDisk(*room));
  return problems;
}

}  // namespace viv::server
