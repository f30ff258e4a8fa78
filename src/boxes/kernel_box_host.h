#pragma once
// The BoxHost of the server: boxes out of files, cgroups, network namespaces and processes of this
// machine. What a killed server left behind is removed by Sweep. Thread-safe.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "boxes/box_host.h"
#include "boxes/box_reaper.h"
#include "boxes/live_box.h"
#include "network/egress.h"
#include "network/namespaces.h"
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

class KernelBoxHost : public BoxHost {
 public:
  // The agents' sockets lie in `run_folder`. All given outlives this.
  static Result<std::unique_ptr<KernelBoxHost>> Open(BoxParts parts, const std::string& run_folder);

  using BoxHost::End;
  Result<std::unique_ptr<LiveBox>> Start(const StartRequest& request) override;
  Result<std::unique_ptr<LiveBox>> Adopt(const BoxHandle& handle,
                                         network::BoxEgress egress) override;
  void End(std::unique_ptr<LiveBox> box, Files files, EndOptions options) override;
  void EndAndWait(std::unique_ptr<LiveBox> box, Files files) override;
  std::size_t ending() const override { return reaper_.size(); }
  void DropLayerReferences() override;
  Status RemoveFiles(const std::string& folder) override;
  void ReapSpawners() override { parts_.launcher.ReapDeadSpawners(); }

  Result<UniqueFd> DialAgent(const BoxHandle& handle) const override;
  Result<UniqueFd> DialPort(const BoxHandle& handle, std::uint16_t port) override;
  Status SetEgress(const BoxHandle& handle, network::BoxEgress egress) override {
    return parts_.egress.Set(handle.name, std::move(egress));
  }
  Task<Status> CheckProxy(network::SocksProxy proxy) override {
    return parts_.egress.CheckProxy(std::move(proxy));
  }

  storage::BoxStorage& storage() override { return parts_.storage; }
  Result<SealedLayer> SealLayer(const std::string& folder) override;
  Result<storage::DiskSpace> ReadSpace() const override;
  std::uint64_t ReadBytesWritten(const LiveBox& box) const override;

  Result<network::UnchargedMemory> ReadUnchargedMemory(const BoxHandle& handle) override;
  Status DropUnaccepted(const BoxHandle& handle) override;
  MachineMemory ReadMachineMemory() const override;

  std::size_t Sweep(const Known& known) override;

  // Keeps this many network namespaces ready for boxes to come.
  void StockNetworks(std::size_t count) { parts_.networks.SetReadyCount(count); }

 private:
  KernelBoxHost(BoxParts parts, UniqueFd run_folder)
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
