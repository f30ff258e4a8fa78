#pragma once
// The worlds in memory, by lease. A world is loaded when it is first used and removed with its
// lease; an unused one costs its record only. Thread-safe: each world has a mutex.

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "engine/world.h"
#include "store/records.h"
#include "worlds/faults.h"

namespace viv::worlds {

// One lease's world and the lock around it.
struct LiveWorld {
  LiveWorld(std::string account, std::string log_file)
      : account_id(std::move(account)), file(std::move(log_file)) {}
  ~LiveWorld();  // of a lease that has ended: removes its file
  LiveWorld(const LiveWorld&) = delete;
  LiveWorld& operator=(const LiveWorld&) = delete;

  const std::string account_id;
  const std::string file;
  std::atomic<bool> ended{false};  // the lease's; calls under way stop
  std::mutex mutex;
  std::unique_ptr<engine::World> world;  // guarded; nullptr once the lease has ended
  Faults faults;                         // has its own lock
};
using LiveWorldPtr = std::shared_ptr<LiveWorld>;  // shared with the calls under way

class Worlds {
 public:
  Worlds(engine::Catalogue& catalogue, std::string directory);

  // The world of that sandbox's lease, read from its log if it is not in memory.
  Result<LiveWorldPtr> Find(const store::Sandbox& sandbox);

  // A new world for `lease_id` that equals `origin`; used by fork. Its log is on disk when this
  // returns.
  Status Copy(LiveWorld& origin, const store::Sandbox& copy);

  // Ends the world of a lease and removes its file. Does not wait: a call under way is stopped, and
  // the file goes with it.
  void Remove(const std::string& lease_id);

  // Deletes the files of leases that `is_live` does not know. At start, before anything is served.
  std::size_t RemoveOrphans(const std::function<bool(const std::string& lease_id)>& is_live);

  std::size_t size() const;

 private:
  static constexpr std::size_t kShards = 64;
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::string, LiveWorldPtr> worlds;  // guarded
  };
  Shard& ShardOf(const std::string& lease_id);
  std::string LogPath(const std::string& lease_id) const;
  Result<std::unique_ptr<engine::World>> Make(const store::Sandbox& sandbox);

  engine::Catalogue& catalogue_;
  std::string directory_;
  std::array<Shard, kShards> shards_;
};

}  // namespace viv::worlds
