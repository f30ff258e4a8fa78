#pragma once
// Creates and ends boxes on this machine: their files, cgroups, network namespaces and processes.
// BoxManager and ParkedBoxes decide which boxes exist and call this to make it so; tests give them
// a FakeBoxHost instead. All functions block for a short time and belong on the blocking pool,
// except those that say otherwise. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/unique_fd.h"
#include "boxes/live_box.h"
#include "network/egress.h"
#include "network/socket_memory.h"
#include "runtime/cgroups.h"
#include "storage/box_storage.h"
#include "storage/overlay.h"

namespace viv::boxes {

class BoxHost {
 public:
  virtual ~BoxHost() = default;

  struct StartRequest {
    std::vector<storage::OverlayMount> overlays;
    std::string folder;  // empty: a new one
    runtime::Limits limits;
    std::int64_t disk_bytes = 0;
    network::BoxEgress egress;
  };
  // If a step fails, the steps before it are undone; files that existed before are kept.
  virtual Result<std::unique_ptr<LiveBox>> Start(const StartRequest& request) = 0;

  // Takes over a box that an earlier server started. If a part of it is missing, the rest is ended
  // and only its files are kept.
  virtual Result<std::unique_ptr<LiveBox>> Adopt(const BoxHandle& handle,
                                                 network::BoxEgress egress) = 0;

  enum class Files { kKeep, kRemove };
  struct EndOptions {
    std::function<void()> done = {};  // called on another thread once nothing is left of the box
    std::shared_ptr<void> layer_reference = {};  // released at the same time
    std::optional<std::vector<std::uint32_t>> slots =
        {};  // the uid ranges it uses; none: the one of its handle
  };
  // Kills the processes, and releases everything else once they have exited: until then no other
  // box gets the uids, files and network. Does not wait.
  virtual void End(std::unique_ptr<LiveBox> box, Files files, EndOptions options) = 0;
  void End(std::unique_ptr<LiveBox> box, Files files) { End(std::move(box), files, EndOptions()); }
  // The same, but waits a few seconds at most; processes that are still alive then are ended in the
  // background.
  virtual void EndAndWait(std::unique_ptr<LiveBox> box, Files files) = 0;
  virtual std::size_t ending() const = 0;  // boxes of which something is left after End
  // Of all boxes that are ending, before their BoxLayers is destroyed.
  virtual void DropLayerReferences() = 0;
  // Removes the files of a box. If processes of it are still ending, the files are removed once
  // these have exited.
  virtual Status RemoveFiles(const std::string& folder) = 0;
  virtual void ReapSpawners() = 0;

  virtual Result<UniqueFd> DialAgent(const BoxHandle& handle) const = 0;  // does not block
  virtual Result<UniqueFd> DialPort(const BoxHandle& handle, std::uint16_t port) = 0;  // the same
  virtual Status SetEgress(const BoxHandle& handle, network::BoxEgress egress) = 0;
  virtual Task<Status> CheckProxy(network::SocksProxy proxy) = 0;

  virtual storage::BoxStorage& storage() = 0;
  struct SealedLayer {
    std::string name;
    std::string folder;
  };
  // A read-only copy of a box's files as they are now; its processes are frozen meanwhile. The name
  // of the layer says how much disk the box used, see LayerNameOf.
  virtual Result<SealedLayer> SealLayer(const std::string& folder) = 0;
  // The free disk space, less what boxes have written that is not on the disk yet. Does not block.
  virtual Result<storage::DiskSpace> ReadSpace() const = 0;
  // What the processes of the box, as far as they still run, have written to file systems.
  virtual std::uint64_t ReadBytesWritten(const LiveBox& box) const = 0;

  virtual Result<network::UnchargedMemory> ReadUnchargedMemory(const BoxHandle& handle) = 0;
  virtual Status DropUnaccepted(const BoxHandle& handle) = 0;
  struct MachineMemory {
    std::int64_t available_bytes = 0;
    // TCP is close to the point where the kernel reduces the memory of all connections.
    bool tcp_is_near_limit = false;
  };
  virtual MachineMemory ReadMachineMemory() const = 0;  // does not block

  // Ends and removes all of our kernel objects and files that `known` does not name. Called at
  // start, before any box is started.
  struct Known {
    std::set<std::string> kernel_names, folders, networks, layers;
  };
  virtual std::size_t Sweep(const Known& known) = 0;
};

}  // namespace viv::boxes
