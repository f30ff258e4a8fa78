#pragma once
// Creates and ends boxes out of files, cgroups, network namespaces and processes. All functions
// block for a short time and belong on the blocking pool, except the Dial functions and End. If a
// step fails, the steps before it are undone; what a killed server left behind is removed by Sweep.
// Thread-safe.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "boxes/box_reaper.h"
#include "boxes/live_box.h"
#include "network/egress.h"
#include "network/namespaces.h"
#include "network/socket_memory.h"
#include "runtime/launcher.h"
#include "storage/box_storage.h"

namespace viv::boxes {

inline constexpr std::string_view kHostname = "e2b.local";

struct BoxParts {
  runtime::Launcher& launcher;
  runtime::Cgroups& cgroups;
  network::Namespaces& networks;
  network::Egress& egress;
  storage::BoxStorage& storage;
};

class BoxHost {
 public:
  // The agents' sockets lie in `run_folder`. All given outlives this.
  static Result<std::unique_ptr<BoxHost>> Open(BoxParts parts, const std::string& run_folder);

  struct StartRequest {
    std::vector<storage::OverlayMount> overlays;
    std::string folder;  // empty: a new one
    runtime::Limits limits;
    std::int64_t disk_bytes = 0;
    network::BoxEgress egress;
  };
  Result<std::unique_ptr<LiveBox>> Start(const StartRequest& request);

  // Takes over a box that an earlier server started. If a part of it is missing, the rest is ended
  // and only its files are kept.
  Result<std::unique_ptr<LiveBox>> Adopt(const BoxHandle& handle, network::BoxEgress egress);

  enum class Files { kKeep, kRemove };
  struct EndOptions {
    std::function<void()> done = {};  // called on another thread once nothing is left of the box
    std::shared_ptr<void> layer_reference = {};  // released at the same time
    std::optional<std::vector<std::uint32_t>> slots =
        {};  // the uid ranges it uses; none: the one of its handle
  };
  // Kills the processes, and releases everything else once they have exited: until then no other
  // box gets the uids, files and network. Does not wait.
  void End(std::unique_ptr<LiveBox> box, Files files, EndOptions options);
  void End(std::unique_ptr<LiveBox> box, Files files) { End(std::move(box), files, EndOptions()); }
  // The same, but waits a few seconds at most; processes that are still alive then are ended in the
  // background.
  void EndAndWait(std::unique_ptr<LiveBox> box, Files files);
  // Removes the files of a box. If processes of it are still ending, the files are removed once
  // these have exited.
  Status RemoveFiles(const std::string& folder);
  const BoxReaper& reaper() const { return reaper_; }
  void DropLayerReferences();  // of all boxes that are ending, before their BoxLayers is destroyed
  void ReapSpawners() { parts_.launcher.ReapDeadSpawners(); }

  Result<UniqueFd> DialAgent(const BoxHandle& handle) const;  // does not block
  Result<UniqueFd> DialPort(const BoxHandle& handle, std::uint16_t port);
  Status SetEgress(const BoxHandle& handle, network::BoxEgress egress) {
    return parts_.egress.Set(handle.name, std::move(egress));
  }
  Task<Status> CheckProxy(network::SocksProxy proxy) {
    return parts_.egress.CheckProxy(std::move(proxy));
  }
  storage::BoxStorage& storage() { return parts_.storage; }
  Result<network::UnchargedMemory> ReadUnchargedMemory(const BoxHandle& handle);
  Status DropUnaccepted(const BoxHandle& handle);
  // The free disk space, less what boxes have written that is not on the disk yet. Does not block.
  Result<storage::DiskSpace> ReadSpace() const;

  // Ends and removes all of our kernel objects and files that `known` does not name. Called at
  // start, before any box is started.
  struct Known {
    std::set<std::string> kernel_names, folders, networks, layers;
  };
  std::size_t Sweep(const Known& known);

  void StockNetworks(std::size_t count) { parts_.networks.SetReadyCount(count); }

 private:
  BoxHost(BoxParts parts, UniqueFd run_folder)
      : parts_(parts), run_folder_(std::move(run_folder)) {}

  Result<std::uint32_t> TakeSlot();
  void ReturnSlot(std::uint32_t slot);
  Result<UniqueFd> Listen(const std::string& name) const;
  std::string SocketPath(const std::string& name) const;
  Status Assemble(const StartRequest& request, LiveBox& box);
  Status Reassemble(network::BoxEgress egress, LiveBox& box);
  struct EndingBox {
    std::unique_ptr<LiveBox> box;
    std::vector<std::uint32_t> slots;
    Files files = Files::kKeep;
    std::shared_ptr<void> layer_reference;
    std::size_t attempts = 0;
  };
  using EndingPtr = std::shared_ptr<EndingBox>;
  bool AdvanceTeardown(const EndingPtr& ending);  // true when nothing is left of the box
  void FinishTeardown(const EndingPtr& ending);
  bool IsEnding(const std::string& folder);
  std::vector<std::uint32_t> TakeSlotsOf(const runtime::Cgroup& group);
  std::set<std::string> SweepGroups(const Known& known, std::size_t& count);

  BoxParts parts_;
  UniqueFd run_folder_;
  std::mutex mutex_;  // guards the four below, and `files` and `layer_reference` of each EndingBox
  std::set<std::uint32_t> used_slots_;
  std::uint32_t next_slot_ = 0;
  std::set<std::shared_ptr<EndingBox>> ending_;  // shared with the reaper's thread
  std::map<std::string, std::shared_ptr<EndingBox>> ending_folders_;
  BoxReaper reaper_;  // last: its thread uses all of the above
};

}  // namespace viv::boxes
