#include "worlds/worlds.h"

#include <filesystem>

#include "base/log.h"

namespace viv::worlds {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".log";

}  // namespace

LiveWorld::~LiveWorld() {
  if (!ended) return;
  world.reset();
  std::error_code ignored;
  fs::remove(file, ignored);
}

Worlds::Worlds(engine::Catalogue& catalogue, std::string directory)
    : catalogue_(catalogue), directory_(std::move(directory)) {
  // Two levels: no folder grows past a few hundred files at 100,000 worlds.
  constexpr char kDigits[] = "0123456789abcdef";
  for (char high : std::string_view(kDigits)) {
    for (char low : std::string_view(kDigits)) {
      std::error_code ignored;
      fs::create_directories(directory_ + "/" + high + low, ignored);
    }
  }
}

std::string Worlds::LogPath(const std::string& lease_id) const {
  return directory_ + "/" + lease_id.substr(0, 2) + "/" + lease_id + std::string(kSuffix);
}

Worlds::Shard& Worlds::ShardOf(const std::string& lease_id) {
  return shards_[std::hash<std::string>()(lease_id) % kShards];
}

Result<std::unique_ptr<engine::World>> Worlds::Make(const store::Sandbox& sandbox) {
  ASSIGN_OR_RETURN(engine::LoadedAppPtr loaded, catalogue_.FindVersion(sandbox.image));
  std::string profile = sandbox.benchmark.empty() ? "default" : sandbox.benchmark;
  return std::make_unique<engine::World>(std::move(loaded), profile, LogPath(sandbox.lease_id));
}

Result<LiveWorldPtr> Worlds::Find(const store::Sandbox& sandbox) {
  Shard& shard = ShardOf(sandbox.lease_id);
  LiveWorldPtr live;
  std::unique_lock<std::mutex> opening;
  {
    std::lock_guard lock(shard.mutex);
    LiveWorldPtr& slot = shard.worlds[sandbox.lease_id];
    if (slot != nullptr) return slot;
    slot = live = std::make_shared<LiveWorld>(sandbox.account_id, LogPath(sandbox.lease_id));
    opening = std::unique_lock(live->mutex);  // nobody else sees it before it is open
  }
  auto world = Make(sandbox);
  Status opened = world ? (*world)->Open() : Status(PassUp(world.error()));
  if (opened && !sandbox.settings_json.empty() && sandbox.settings_json != "{}") {
    auto settings = ParseJson(sandbox.settings_json);
    if (settings) opened = live->faults.Set(*settings);
  }
  if (!opened) {
    opening.unlock();
    std::lock_guard lock(shard.mutex);
    shard.worlds.erase(sandbox.lease_id);
    return PassUp(opened.error());
  }
  live->world = std::move(*world);
  return live;
}

Status Worlds::Copy(LiveWorld& origin, const store::Sandbox& copy) {
  ASSIGN_OR_RETURN(std::unique_ptr<engine::World> world, Make(copy));
  auto live = std::make_shared<LiveWorld>(copy.account_id, LogPath(copy.lease_id));
  {
    std::lock_guard lock(origin.mutex);
    if (origin.world == nullptr) return Fail(ErrorCode::kNotFound, "Sandbox not found");
    RETURN_IF_ERROR(world->CopyFrom(*origin.world));
  }
  live->world = std::move(world);
  Shard& shard = ShardOf(copy.lease_id);
  std::lock_guard lock(shard.mutex);
  shard.worlds[copy.lease_id] = std::move(live);
  return {};
}

void Worlds::Remove(const std::string& lease_id) {
  Shard& shard = ShardOf(lease_id);
  LiveWorldPtr live;
  {
    std::lock_guard lock(shard.mutex);
    auto found = shard.worlds.find(lease_id);
    if (found != shard.worlds.end()) {
      live = std::move(found->second);
      shard.worlds.erase(found);
    }
  }
  if (live != nullptr) {
    live->ended = true;
    // Where a call is under way, the last one that holds the world removes its file.
    std::unique_lock lock(live->mutex, std::try_to_lock);
    if (!lock) return;
    live->world.reset();
  }
  std::error_code ignored;
  fs::remove(LogPath(lease_id), ignored);
}

std::size_t Worlds::RemoveOrphans(const std::function<bool(const std::string& lease_id)>& is_live) {
  std::size_t removed = 0;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(directory_, error)) {
    if (!entry.is_regular_file()) continue;
    bool is_log = entry.path().extension() == kSuffix;
    if (is_log && is_live(entry.path().stem().string())) continue;
    removed += fs::remove(entry.path(), error) ? 1 : 0;
  }
  if (removed > 0) log::Info("worlds.orphans_removed", {{"count", removed}});
  return removed;
}

std::size_t Worlds::size() const {
  std::size_t count = 0;
  for (const Shard& shard : shards_) {
    std::lock_guard lock(shard.mutex);
    count += shard.worlds.size();
  }
  return count;
}

}  // namespace viv::worlds
