#pragma once
// A BoxHost in memory: "kernel" boxes, files, networks and layers are entries of a FakeKernel,
// which a test can read, copy (what a killed server leaves behind) and give to the next
// FakeBoxHost. Every operation is a step of the FaultPlan, which may let it fail or wait. A failing
// operation has no effect, as with the real host. Test code. Thread-safe.

#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "boxes/box_host.h"
#include "boxes/box_ids.h"
#include "boxes/box_layers.h"
#include "boxes/disk_use.h"
#include "boxes/fake_agent.h"
#include "boxes/fault_plan.h"

namespace viv::boxes {

// What a machine holds of boxes.
struct FakeKernel {
  struct Processes {
    BoxHandle handle;
    runtime::Limits limits;
    network::BoxEgress egress;
    bool is_frozen = false;
    bool has_exited = false;  // the first process
    std::uint64_t written_bytes = 0;
    std::int64_t commands = 0;  // that its agent runs
    std::string agent_setup;    // the body of the last POST /init
    network::UnchargedMemory uncharged;
  };
  struct Folder {
    std::int64_t limit_bytes = 0;
    std::int64_t used_bytes = 4096;
  };
  std::map<std::string, Processes> boxes;  // by kernel name
  std::map<std::string, Folder> folders;
  std::set<std::string> networks;
  std::set<std::string> layers;
  storage::DiskSpace space{100LL << 30, 1LL << 30, 100LL << 30};
  BoxHost::MachineMemory memory{8LL << 30, false};
};

class FakeBoxHost : public BoxHost {
 public:
  // `faults` outlives this.
  explicit FakeBoxHost(FaultPlan& faults, FakeKernel kernel = {})
      : faults_(faults),
        kernel_(std::move(kernel)),
        storage_(*this),
        agent_([this](const FakeAgent::Request& request) { return Respond(request); }) {}

  // For tests.
  FakeKernel kernel() const {
    std::lock_guard lock(mutex_);
    return kernel_;
  }
  template <typename Change>
  void ChangeKernel(Change change) {
    std::lock_guard lock(mutex_);
    change(kernel_);
  }
  void LoseProcess(const std::string& kernel_name) {
    std::lock_guard lock(mutex_);
    ExitLocked(kernel_name);
  }
  // From now on processes of ended boxes stay until FinishEndings.
  void HoldEndings() {
    std::lock_guard lock(mutex_);
    holds_endings_ = true;
  }
  void FinishEndings() {
    std::vector<Ending> endings;
    {
      std::lock_guard lock(mutex_);
      holds_endings_ = false;
      std::swap(endings, endings_);
    }
    for (Ending& ending : endings) Finish(std::move(ending));
  }
  // Files and layers whose removal failed: they stay until the next start of the server.
  std::set<std::string> not_removed() const {
    std::lock_guard lock(mutex_);
    return not_removed_;
  }
  // Calls that a correct caller never makes.
  std::vector<std::string> misuses() const {
    std::lock_guard lock(mutex_);
    return misuses_;
  }
  // Waits until so many boxes have processes.
  void WaitForBoxes(std::size_t count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return kernel_.boxes.size() >= count; });
  }

  using BoxHost::End;

  Result<std::unique_ptr<LiveBox>> Start(const StartRequest& request) override {
    RETURN_IF_ERROR(faults_.Take("start"));
    std::lock_guard lock(mutex_);
    for (const Ending& ending : endings_) {
      if (!request.folder.empty() && ending.box->handle.folder == request.folder)
        return Fail(ErrorCode::kUnavailable, "the box's earlier processes have not ended yet");
    }
    if (!request.folder.empty() && !kernel_.folders.contains(request.folder))
      return Fail(ErrorCode::kNotFound, "no files " + request.folder);
    for (const std::string& layer : LayersIn(request.overlays))
      if (!kernel_.layers.contains(layer)) return Fail(ErrorCode::kNotFound, "no layer " + layer);
    FakeKernel::Processes processes;
    BoxHandle& handle = processes.handle;
    handle.name = NewKernelName();
    handle.folder = request.folder.empty() ? handle.name : request.folder;
    handle.network = "net-" + handle.name;
    handle.slot = next_slot_++;
    handle.pid = static_cast<pid_t>(1000 + handle.slot);
    handle.start_time = 1;
    handle.overlays = request.overlays;
    processes.limits = request.limits;
    processes.egress = request.egress;
    kernel_.folders[handle.folder].limit_bytes = request.disk_bytes;
    kernel_.networks.insert(handle.network);
    const std::string name = handle.name;
    kernel_.boxes[name] = std::move(processes);
    changed_.notify_all();
    return MakeLiveLocked(name);
  }

  Result<std::unique_ptr<LiveBox>> Adopt(const BoxHandle& handle,
                                         network::BoxEgress egress) override {
    Status taken = faults_.Take("adopt");
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(handle.name);
    const bool is_there = found != kernel_.boxes.end() && !found->second.has_exited;
    if (taken && is_there) {
      found->second.egress = std::move(egress);
      return MakeLiveLocked(handle.name);
    }
    kernel_.boxes.erase(handle.name);
    kernel_.networks.erase(handle.network);
    if (!taken) return PassUp(std::move(taken).error());
    return Fail(ErrorCode::kNotFound, "no process " + handle.name);
  }

  void End(std::unique_ptr<LiveBox> box, Files files, EndOptions options) override {
    Ending ending{std::move(box), files, std::move(options)};
    {
      std::lock_guard lock(mutex_);
      ExitLocked(ending.box->handle.name);
      if (holds_endings_) {
        endings_.push_back(std::move(ending));
        return;
      }
    }
    Finish(std::move(ending));
  }
  void EndAndWait(std::unique_ptr<LiveBox> box, Files files) override {
    End(std::move(box), files, EndOptions());
  }
  std::size_t ending() const override {
    std::lock_guard lock(mutex_);
    return endings_.size();
  }
  void DropLayerReferences() override {
    std::vector<std::shared_ptr<void>> references;
    std::lock_guard lock(mutex_);
    for (Ending& ending : endings_) references.push_back(std::move(ending.options.layer_reference));
  }
  Status RemoveFiles(const std::string& folder) override {
    {
      std::lock_guard lock(mutex_);
      for (Ending& ending : endings_) {
        if (ending.box->handle.folder != folder) continue;
        ending.files = Files::kRemove;
        return {};
      }
    }
    return storage_.Remove(folder);
  }
  void ReapSpawners() override {}

  Result<UniqueFd> DialAgent(const BoxHandle& handle) const override {
    RETURN_IF_ERROR(faults_.Take("dial the agent"));
    Status answers = faults_.Take("get the agent's response");
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(handle.name);
    if (found == kernel_.boxes.end() || found->second.has_exited)
      return Fail(ErrorCode::kUnavailable, "reach the box's agent: " + handle.name);
    if (found->second.is_frozen) misuses_.push_back("dialled the agent of a frozen box");
    // An agent that does not respond closes the connection.
    const bool is_silent = !answers || found->second.is_frozen;
    return agent_.Connect(is_silent ? "" : handle.name);
  }
  Result<UniqueFd> DialPort(const BoxHandle& handle, std::uint16_t) override {
    RETURN_IF_ERROR(faults_.Take("dial a port"));
    return agent_.Connect(handle.name);
  }
  Status SetEgress(const BoxHandle& handle, network::BoxEgress egress) override {
    RETURN_IF_ERROR(faults_.Take("set egress"));
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(handle.name);
    if (found == kernel_.boxes.end()) return Fail(ErrorCode::kNotFound, "no such box");
    found->second.egress = std::move(egress);
    return {};
  }
  Task<Status> CheckProxy(network::SocksProxy) override { co_return faults_.Take("check a proxy"); }

  storage::BoxStorage& storage() override { return storage_; }
  Result<SealedLayer> SealLayer(const std::string& folder) override {
    RETURN_IF_ERROR(faults_.Take("seal a layer"));
    std::lock_guard lock(mutex_);
    auto found = kernel_.folders.find(folder);
    if (found == kernel_.folders.end()) return Fail(ErrorCode::kNotFound, "no files " + folder);
    for (const auto& [name, box] : kernel_.boxes)
      if (box.handle.folder == folder && !box.is_frozen)
        misuses_.push_back("sealed the files of a box that writes to them");
    SealedLayer layer;
    layer.name = LayerNameOf(NewKernelName(), folder, found->second.used_bytes);
    layer.folder = "/fake/layers/" + layer.name;
    kernel_.layers.insert(layer.name);
    return layer;
  }
  Result<storage::DiskSpace> ReadSpace() const override {
    RETURN_IF_ERROR(faults_.Take("read disk space"));
    std::lock_guard lock(mutex_);
    return kernel_.space;
  }
  std::uint64_t ReadBytesWritten(const LiveBox& box) const override {
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(box.handle.name);
    return found == kernel_.boxes.end() ? 0 : found->second.written_bytes;
  }
  Result<network::UnchargedMemory> ReadUnchargedMemory(const BoxHandle& handle) override {
    RETURN_IF_ERROR(faults_.Take("read uncharged memory"));
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(handle.name);
    if (found == kernel_.boxes.end()) return Fail(ErrorCode::kNotFound, "no such box");
    return found->second.uncharged;
  }
  Status DropUnaccepted(const BoxHandle& handle) override {
    RETURN_IF_ERROR(faults_.Take("drop unaccepted connections"));
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(handle.name);
    if (found != kernel_.boxes.end()) found->second.uncharged.unaccepted_bytes = 0;
    return {};
  }
  MachineMemory ReadMachineMemory() const override {
    std::lock_guard lock(mutex_);
    return kernel_.memory;
  }

  std::size_t Sweep(const Known& known) override {
    std::lock_guard lock(mutex_);
    auto is_unknown = [&known](const auto& entry) {
      return !known.kernel_names.contains(entry.first);
    };
    std::size_t count = std::erase_if(kernel_.boxes, is_unknown);
    auto has_no_box = [&known](const auto& entry) { return !known.folders.contains(entry.first); };
    count += std::erase_if(kernel_.folders, has_no_box);
    std::erase_if(kernel_.networks,
                  [&known](const std::string& name) { return !known.networks.contains(name); });
    std::erase_if(kernel_.layers,
                  [&known](const std::string& name) { return !known.layers.contains(name); });
    not_removed_.clear();
    return count;
  }

 private:
  class Cgroup : public runtime::Cgroup {
   public:
    Cgroup(FakeBoxHost& host, std::string name) : host_(host), name_(std::move(name)) {}
    const std::string& name() const override { return name_; }
    Result<JoinDescriptors> OpenJoinDescriptors() const override {
      return Fail(ErrorCode::kUnavailable, "a fake cgroup has no files");
    }
    Status SetLimits(const runtime::Limits& limits) override {
      return Change("set limits", [&limits](auto& box) { box.limits = limits; });
    }
    Result<std::int64_t> MemoryLimit() const override {
      std::int64_t bytes = 0;
      RETURN_IF_ERROR(Change("read limits", [&](auto& box) { bytes = box.limits.memory_bytes; }));
      return bytes;
    }
    Result<runtime::Usage> Read() const override {
      RETURN_IF_ERROR(Change("read usage", [](auto&) {}));
      return runtime::Usage{1000, 1 << 20, 0, 1};
    }
    Status Freeze() override {
      return Change("freeze", [](auto& box) { box.is_frozen = true; });
    }
    Status Thaw() override {
      return Change("thaw", [](auto& box) { box.is_frozen = false; });
    }
    Status Kill() override {
      RETURN_IF_ERROR(host_.faults_.Take("kill"));
      host_.LoseProcess(name_);
      return {};
    }
    bool empty() const override {
      bool exited = true;
      host_.ChangeKernel([&](FakeKernel& kernel) {
        auto found = kernel.boxes.find(name_);
        exited = found == kernel.boxes.end() || found->second.has_exited;
      });
      return exited;
    }
    std::vector<pid_t> Processes() const override { return {}; }

   private:
    template <typename Function>
    Status Change(std::string_view operation, Function change) const {
      RETURN_IF_ERROR(host_.faults_.Take(operation));
      std::lock_guard lock(host_.mutex_);
      auto found = host_.kernel_.boxes.find(name_);
      if (found == host_.kernel_.boxes.end())
        return Fail(ErrorCode::kNotFound, "no cgroup " + name_);
      change(found->second);
      return {};
    }
    FakeBoxHost& host_;
    const std::string name_;
  };

  class Storage : public storage::BoxStorage {
   public:
    explicit Storage(FakeBoxHost& host) : host_(host) {}
    std::string kind() const override { return "fake"; }
    bool has_limits() const override { return true; }
    Result<std::string> Make(const std::string&, std::int64_t) override { return NotHere(); }
    Result<std::string> Find(const std::string&) override { return NotHere(); }
    Status SetLimit(const std::string& name, std::int64_t limit_bytes) override {
      return Change("set the disk limit", name,
                    [&](FakeKernel::Folder& folder) { folder.limit_bytes = limit_bytes; });
    }
    Result<storage::DiskUsage> Read(const std::string& name) override {
      storage::DiskUsage usage;
      RETURN_IF_ERROR(Change("read disk usage", name, [&](FakeKernel::Folder& folder) {
        usage.used_bytes = folder.used_bytes;
        usage.limit_bytes = folder.limit_bytes;
      }));
      return usage;
    }
    Status Remove(const std::string& name) override {
      Status taken = host_.faults_.Take("remove files");
      std::lock_guard lock(host_.mutex_);
      if (!taken) {
        host_.not_removed_.insert(name);
        return taken;
      }
      for (const auto& [kernel_name, box] : host_.kernel_.boxes)
        if (box.handle.folder == name && !box.has_exited)
          host_.misuses_.push_back("removed the files of a box that has processes");
      host_.kernel_.folders.erase(name);
      return {};
    }
    std::vector<std::string> List() override { return {}; }
    Result<std::string> MakeLayer(const std::string&, const std::string&) override {
      return NotHere();
    }
    Result<std::string> FindLayer(const std::string&) override { return NotHere(); }
    Status RemoveLayer(const std::string& layer) override {
      Status taken = host_.faults_.Take("remove a layer");
      std::lock_guard lock(host_.mutex_);
      if (!taken) {
        host_.not_removed_.insert(layer);
        return taken;
      }
      for (const auto& [kernel_name, box] : host_.kernel_.boxes)
        if (LayersIn(box.handle.overlays).contains(layer) && !box.has_exited)
          host_.misuses_.push_back("removed a layer of a box that has processes");
      host_.kernel_.layers.erase(layer);
      return {};
    }
    std::vector<std::string> ListLayers() override { return {}; }
    Result<storage::DiskSpace> ReadSpace() const override { return host_.ReadSpace(); }
    Status Unmount() override { return {}; }

   private:
    static tl::unexpected<Error> NotHere() {
      return Fail(ErrorCode::kInternal, "only the real BoxHost asks its storage for this");
    }
    template <typename Function>
    Status Change(std::string_view operation, const std::string& name, Function change) {
      RETURN_IF_ERROR(host_.faults_.Take(operation));
      std::lock_guard lock(host_.mutex_);
      auto found = host_.kernel_.folders.find(name);
      if (found == host_.kernel_.folders.end())
        return Fail(ErrorCode::kNotFound, "no files " + name);
      change(found->second);
      return {};
    }
    FakeBoxHost& host_;
  };

  struct Ending {
    std::unique_ptr<LiveBox> box;
    Files files;
    EndOptions options;
  };

  // An event descriptor stands for the pidfd: it becomes readable when the process exits.
  std::unique_ptr<LiveBox> MakeLiveLocked(const std::string& name) {
    auto live = std::make_unique<LiveBox>();
    live->handle = kernel_.boxes.at(name).handle;
    UniqueFd exit(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    live->pidfd = UniqueFd(::dup(exit.get()));
    exits_[name] = std::move(exit);
    live->cgroup = std::make_unique<Cgroup>(*this, name);
    return live;
  }

  void ExitLocked(const std::string& name) {
    auto found = kernel_.boxes.find(name);
    if (found == kernel_.boxes.end()) return;
    found->second.has_exited = true;
    if (auto exit = exits_.find(name); exit != exits_.end()) ::eventfd_write(exit->second.get(), 1);
  }

  void Finish(Ending ending) {
    const BoxHandle handle = ending.box->handle;
    {
      std::lock_guard lock(mutex_);
      kernel_.boxes.erase(handle.name);
      kernel_.networks.erase(handle.network);
      exits_.erase(handle.name);
    }
    if (ending.files == Files::kRemove && !handle.folder.empty())
      std::ignore = storage_.Remove(handle.folder);
    ending.options.layer_reference.reset();
    if (ending.options.done) ending.options.done();
  }

  std::string Respond(const FakeAgent::Request& request) {
    std::lock_guard lock(mutex_);
    auto found = kernel_.boxes.find(request.kernel_name);
    if (found == kernel_.boxes.end() || found->second.has_exited) return "";
    if (request.line.starts_with("POST /init ")) {
      found->second.agent_setup = request.body;
      return "HTTP/1.1 204 No Content\r\n\r\n";
    }
    std::string body = "{}";
    if (request.line.starts_with("GET /activity "))
      body = "{\"running\":" + std::to_string(found->second.commands) + "}";
    if (request.line.starts_with("GET /logs ")) body = "[]";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  FaultPlan& faults_;
  mutable std::mutex mutex_;  // guards all below but storage_ and agent_
  mutable std::condition_variable changed_;
  FakeKernel kernel_;
  std::map<std::string, UniqueFd> exits_;  // by kernel name
  std::uint32_t next_slot_ = 0;
  bool holds_endings_ = false;
  std::vector<Ending> endings_;
  std::set<std::string> not_removed_;
  mutable std::vector<std::string> misuses_;
  Storage storage_;
  mutable FakeAgent agent_;  // last: its thread uses all of the above
};

}  // namespace viv::boxes
