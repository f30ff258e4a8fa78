#include "boxes/kernel_box_host.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/errno_error.h"
#include "base/log.h"
#include "boxes/box_ids.h"
#include "boxes/disk_use.h"
#include "runtime/cgroup_files.h"
#include "runtime/process.h"

namespace viv::boxes {
namespace {

constexpr int kAgentBacklog = 512;
constexpr std::string_view kSocketEnding = ".sock";
constexpr std::chrono::seconds kEndTimeout{5};
constexpr std::chrono::milliseconds kSweepPause{5};
constexpr std::size_t kAttemptsPerKill = 32;
constexpr std::int64_t kRoomToCountWithin = 8;  // times the reserve

Result<sockaddr_un> SocketAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return Fail(ErrorCode::kInternal, "socket path too long: " + path);
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

std::int64_t AvailableMemory() {
  auto text = runtime::ReadKernelFile(AT_FDCWD, "/proc/meminfo");
  if (!text) return 0;
  const std::size_t at = text->find("MemAvailable:");
  return at == std::string::npos ? 0 : std::strtoll(text->c_str() + at + 13, nullptr, 10) << 10;
}

// Whether TCP is close to the point where the kernel reduces the memory of all connections of the
// machine.
bool TcpTakesMuch() {
  auto now = runtime::ReadKernelFile(AT_FDCWD, "/proc/net/sockstat");
  auto limits = runtime::ReadKernelFile(AT_FDCWD, "/proc/sys/net/ipv4/tcp_mem");
  if (!now || !limits) return false;
  const std::size_t tcp = now->find("TCP:");
  const std::size_t mem = tcp == std::string::npos ? tcp : now->find(" mem ", tcp);
  if (mem == std::string::npos) return false;
  const long long pages = std::strtoll(now->c_str() + mem + 5, nullptr, 10);
  return pages > std::strtoll(limits->c_str(), nullptr, 10) / 2;
}

}  // namespace

Result<std::unique_ptr<KernelBoxHost>> KernelBoxHost::Open(BoxParts parts,
                                                           const std::string& run_folder) {
  if (::mkdir(run_folder.c_str(), 0700) != 0 && errno != EEXIST)
    return FailErrno(ErrorCode::kUnavailable, "make " + run_folder);
  UniqueFd folder(::open(run_folder.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  if (!folder) return FailErrno(ErrorCode::kUnavailable, "open " + run_folder);
  return std::unique_ptr<KernelBoxHost>(new KernelBoxHost(parts, std::move(folder)));
}

// Goes through the descriptor because a socket's path is limited to 107 bytes.
std::string KernelBoxHost::SocketPath(const std::string& name) const {
  return "/proc/self/fd/" + std::to_string(run_folder_.get()) + "/" + name +
         std::string(kSocketEnding);
}

Result<UniqueFd> KernelBoxHost::Listen(const std::string& name) const {
  ASSIGN_OR_RETURN(sockaddr_un address, SocketAddress(SocketPath(name)));
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kAgentBacklog) != 0) {
    return FailErrno(ErrorCode::kUnavailable, "make the agent's socket");
  }
  return socket;
}

Result<UniqueFd> KernelBoxHost::DialAgent(const BoxHandle& handle) const {
  ASSIGN_OR_RETURN(sockaddr_un address, SocketAddress(SocketPath(handle.name)));
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return FailErrno(ErrorCode::kUnavailable, "make a socket");
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
    return socket;
  if (errno == EAGAIN)
    return Fail(ErrorCode::kLimitExceeded, "the box has too many requests waiting; try again");
  return FailErrno(ErrorCode::kUnavailable, "reach the box's agent");
}

Result<UniqueFd> KernelBoxHost::DialPort(const BoxHandle& handle, std::uint16_t port) {
  ASSIGN_OR_RETURN(UniqueFd network, parts_.networks.Find(handle.network));
  return network::DialInNamespace(network.get(), port);
}

Result<std::uint32_t> KernelBoxHost::TakeSlot() {
  std::lock_guard lock(mutex_);
  for (std::uint32_t tries = 0; tries < runtime::kSlotsMax; ++tries) {
    std::uint32_t slot = next_slot_;
    next_slot_ = (next_slot_ + 1) % runtime::kSlotsMax;
    if (used_slots_.insert(slot).second) return slot;
  }
  return Fail(ErrorCode::kLimitExceeded, "this machine holds as many boxes as it can");
}

void KernelBoxHost::ReturnSlot(std::uint32_t slot) {
  std::lock_guard lock(mutex_);
  used_slots_.erase(slot);
}

Status KernelBoxHost::Assemble(const StartRequest& request, LiveBox& box) {
  BoxHandle& handle = box.handle;
  std::string folder;
  if (handle.folder.empty()) {
    ASSIGN_OR_RETURN(folder, parts_.storage.Make(handle.name, request.disk_bytes),
                     "make its files");
    handle.folder = handle.name;
  } else {
    ASSIGN_OR_RETURN(folder, parts_.storage.Find(handle.folder), "find its files");
    RETURN_IF_ERROR(parts_.storage.SetLimit(handle.folder, request.disk_bytes), "limit its files");
  }
  ASSIGN_OR_RETURN(network::Namespaces::Handle taken, parts_.networks.Acquire(), "take a network");
  handle.network = taken.name;
  RETURN_IF_ERROR(parts_.egress.Open(handle.name, taken.fd.get(), request.egress),
                  "open its egress listeners");
  ASSIGN_OR_RETURN(box.cgroup, parts_.cgroups.Make(handle.name, request.limits), "limit it");
  ASSIGN_OR_RETURN(UniqueFd listener, Listen(handle.name));

  runtime::BoxLaunchRequest launch;
  launch.slot = handle.slot;
  launch.overlays = handle.overlays;
  launch.folder = folder;
  launch.hostname = kHostname;
  launch.network = taken.fd.get();
  launch.listener = listener.get();
  launch.cgroup = box.cgroup.get();
  ASSIGN_OR_RETURN(runtime::BoxProcess launched, parts_.launcher.Launch(launch));
  handle.pid = launched.pid;
  handle.start_time = launched.start_time;
  box.pidfd = std::move(launched.pidfd);
  return {};
}

Result<std::unique_ptr<LiveBox>> KernelBoxHost::Start(const StartRequest& request) {
  if (!request.folder.empty() && IsEnding(request.folder))
    return Fail(ErrorCode::kUnavailable,
                "the box's earlier processes have not ended yet; try again later");
  auto box = std::make_unique<LiveBox>();
  box->handle.name = NewKernelName();
  box->handle.folder = request.folder;
  box->handle.overlays = request.overlays;
  ASSIGN_OR_RETURN(box->handle.slot, TakeSlot());
  Status assembled = Assemble(request, *box);
  if (assembled) return box;
  EndAndWait(std::move(box), request.folder.empty() ? Files::kRemove : Files::kKeep);
  return PassUp(std::move(assembled).error(), "start a box");
}

Status KernelBoxHost::Reassemble(network::BoxEgress egress, LiveBox& box) {
  const BoxHandle& handle = box.handle;
  if (auto cgroup = parts_.cgroups.Find(handle.name)) box.cgroup = *std::move(cgroup);
  ASSIGN_OR_RETURN(box.pidfd, runtime::OpenProcess(handle.pid, handle.start_time));
  if (box.cgroup == nullptr) return Fail(ErrorCode::kNotFound, "its limits are gone");
  ASSIGN_OR_RETURN(UniqueFd network, parts_.networks.Find(handle.network));
  return parts_.egress.Open(handle.name, network.get(), std::move(egress));
}

Result<std::unique_ptr<LiveBox>> KernelBoxHost::Adopt(const BoxHandle& handle,
                                                      network::BoxEgress egress) {
  auto box = std::make_unique<LiveBox>();
  box->handle = handle;
  {
    std::lock_guard lock(mutex_);
    used_slots_.insert(handle.slot);
  }
  Status adopted = Reassemble(std::move(egress), *box);
  if (adopted) return box;
  // The remaining processes must not run beside those of its next start.
  EndAndWait(std::move(box), Files::kKeep);
  return PassUp(std::move(adopted).error(), "adopt a box");
}

// Works for partly started boxes too. Processes are ended first, then what they use is released;
// while one of them is alive, the box keeps its uids, files and network.
bool KernelBoxHost::AdvanceTeardown(const EndingPtr& ending) {
  LiveBox& box = *ending->box;
  const BoxHandle& handle = box.handle;
  const bool is_first = ending->attempts++ == 0;
  // Repeated from time to time: with cgroup v1, a process that forks during the kill may be missed.
  if (box.cgroup != nullptr && ending->attempts % kAttemptsPerKill == 1)
    std::ignore = box.cgroup->Kill();
  if (is_first) parts_.egress.Close(handle.name);
  if (box.cgroup != nullptr) {
    if (!parts_.cgroups.TryRemove(*box.cgroup)) return false;
    box.cgroup = nullptr;
  }
  if (box.pidfd) {  // the kernel destroys the namespaces when the agent exits
    pollfd ended{box.pidfd.get(), POLLIN, 0};
    if (::poll(&ended, 1, 0) == 0) return false;
  }
  if (!handle.network.empty()) parts_.networks.Release(handle.network);
  ::unlinkat(run_folder_.get(), (handle.name + std::string(kSocketEnding)).c_str(), 0);
  FinishTeardown(ending);
  for (std::uint32_t slot : ending->slots) ReturnSlot(slot);
  return true;
}

void KernelBoxHost::FinishTeardown(const EndingPtr& ending) {
  const std::string& folder = ending->box->handle.folder;
  Files files;
  std::shared_ptr<void> layer_reference;  // released last, without holding the lock
  {
    std::lock_guard lock(mutex_);
    files = ending->files;
    layer_reference = std::move(ending->layer_reference);
    ending_folders_.erase(folder);
    ending_.erase(ending);
  }
  if (files == Files::kKeep || folder.empty()) return;
  if (Status removed = parts_.storage.Remove(folder); !removed)
    log::Error("box.files_left", {{"folder", folder}, {"error", removed.error().message}});
}

void KernelBoxHost::DropLayerReferences() {
  std::vector<std::shared_ptr<void>> references;
  std::lock_guard lock(mutex_);
  for (const EndingPtr& ending : ending_) references.push_back(std::move(ending->layer_reference));
}

void KernelBoxHost::End(std::unique_ptr<LiveBox> box, Files files, EndOptions options) {
  auto ending = std::make_shared<EndingBox>();
  ending->slots = options.slots ? *std::move(options.slots) : std::vector{box->handle.slot};
  ending->files = files;
  ending->box = std::move(box);
  ending->layer_reference = std::move(options.layer_reference);
  const std::string& folder = ending->box->handle.folder;
  {
    std::lock_guard lock(mutex_);
    ending_.insert(ending);
    if (!folder.empty()) ending_folders_[folder] = ending;
  }
  BoxReaper::Teardown task;
  task.name = ending->box->handle.name;
  task.advance = [this, ending] { return AdvanceTeardown(ending); };
  task.done = std::move(options.done);
  reaper_.Add(std::move(task));
}

void KernelBoxHost::EndAndWait(std::unique_ptr<LiveBox> box, Files files) {
  struct Waiter {
    std::mutex mutex;
    std::condition_variable ended;
    bool is_over = false;
  };
  auto waiter = std::make_shared<Waiter>();  // shared: the box may end after the wait has timed out
  EndOptions options;
  options.done = [waiter] {
    std::lock_guard lock(waiter->mutex);
    waiter->is_over = true;
    waiter->ended.notify_all();
  };
  End(std::move(box), files, std::move(options));
  std::unique_lock lock(waiter->mutex);
  waiter->ended.wait_for(lock, kEndTimeout, [&waiter] { return waiter->is_over; });
}

Result<network::UnchargedMemory> KernelBoxHost::ReadUnchargedMemory(const BoxHandle& handle) {
  ASSIGN_OR_RETURN(UniqueFd network, parts_.networks.Find(handle.network));
  return network::ReadUnchargedMemory(network.get());
}

Status KernelBoxHost::DropUnaccepted(const BoxHandle& handle) {
  ASSIGN_OR_RETURN(UniqueFd network, parts_.networks.Find(handle.network));
  return network::DropUnaccepted(network.get());
}

// The layer gets its final name after sealing, because only then has the file system counted
// everything that the box wrote. A layer that keeps its first name is charged to nobody.
Result<BoxHost::SealedLayer> KernelBoxHost::SealLayer(const std::string& folder) {
  SealedLayer sealed;
  sealed.name = NewKernelName();
  ASSIGN_OR_RETURN(sealed.folder, parts_.storage.MakeLayer(folder, sealed.name));
  auto used = parts_.storage.Read(folder);
  if (!used || !parts_.storage.has_limits()) return sealed;
  const std::string name = LayerNameOf(sealed.name, folder, used->used_bytes);
  const std::string named = sealed.folder.substr(0, sealed.folder.rfind('/') + 1) + name;
  std::error_code error;
  std::filesystem::rename(sealed.folder, named, error);
  if (error) {
    log::Warn("layer.not_named", {{"layer", sealed.name}, {"error", error.message()}});
    return sealed;
  }
  sealed.name = name;
  sealed.folder = named;
  return sealed;
}

std::uint64_t KernelBoxHost::ReadBytesWritten(const LiveBox& box) const {
  std::uint64_t bytes = 0;
  for (pid_t process : box.cgroup->Processes())
    bytes += runtime::ReadBytesWritten(process).value_or(0);
  return bytes;
}

BoxHost::MachineMemory KernelBoxHost::ReadMachineMemory() const {
  MachineMemory memory;
  memory.available_bytes = AvailableMemory();
  memory.tcp_is_near_limit = TcpTakesMuch();
  return memory;
}

Result<storage::DiskSpace> KernelBoxHost::ReadSpace() const {
  ASSIGN_OR_RETURN(storage::DiskSpace room, parts_.storage.ReadSpace());
  // Counting takes a while, so it is left out where it can make no difference.
  if (room.host_bytes < room.reserve_bytes * kRoomToCountWithin)
    room.host_bytes -= parts_.cgroups.ReadDirtyBytes();
  return room;
}

bool KernelBoxHost::IsEnding(const std::string& folder) {
  std::lock_guard lock(mutex_);
  return ending_folders_.contains(folder);
}

Status KernelBoxHost::RemoveFiles(const std::string& folder) {
  {
    std::lock_guard lock(mutex_);
    auto ending = ending_folders_.find(folder);
    if (ending != ending_folders_.end()) {
      ending->second->files = Files::kRemove;
      return {};
    }
  }
  return parts_.storage.Remove(folder);
}

// Reserves the uid ranges of the processes that are left in a cgroup: no box may get them before
// these exit.
std::vector<std::uint32_t> KernelBoxHost::TakeSlotsOf(const runtime::Cgroup& group) {
  std::vector<std::uint32_t> slots;
  for (pid_t process : group.Processes()) {
    auto user = runtime::ReadUser(process);
    if (!user || *user < runtime::kFirstId) continue;
    const std::uint32_t slot = (*user - runtime::kFirstId) / runtime::kIdsPerBox;
    std::lock_guard lock(mutex_);
    if (used_slots_.insert(slot).second) slots.push_back(slot);
  }
  return slots;
}

// Kills the cgroups that an earlier server left. Processes that do not exit in time are ended in
// the background; returns the folders that they may still write to.
std::set<std::string> KernelBoxHost::SweepGroups(const Known& known, std::size_t& count) {
  std::vector<std::unique_ptr<runtime::Cgroup>> left;
  for (const std::string& name : parts_.cgroups.List()) {
    if (known.kernel_names.contains(name)) continue;
    auto found = parts_.cgroups.Find(name);
    if (!found) continue;
    std::ignore = (*found)->Kill();
    left.push_back(*std::move(found));
    ++count;
  }
  const auto until = std::chrono::steady_clock::now() + kEndTimeout;
  auto is_gone = [this](const std::unique_ptr<runtime::Cgroup>& group) {
    return parts_.cgroups.TryRemove(*group).has_value();
  };
  for (std::erase_if(left, is_gone); !left.empty(); std::erase_if(left, is_gone)) {
    if (std::chrono::steady_clock::now() > until) break;
    std::this_thread::sleep_for(kSweepPause);
  }
  std::set<std::string> folders;
  for (auto& group : left) {
    log::Error("sweep.group_left", {{"name", group->name()}});
    auto box = std::make_unique<LiveBox>();
    box->handle.name = group->name();
    if (!known.folders.contains(group->name())) box->handle.folder = group->name();
    folders.insert(box->handle.folder);
    EndOptions options;
    options.slots = TakeSlotsOf(*group);
    box->cgroup = std::move(group);
    End(std::move(box), Files::kRemove, std::move(options));
  }
  return folders;
}

std::size_t KernelBoxHost::Sweep(const Known& known) {
  std::size_t count = 0;
  const std::set<std::string> still_used = SweepGroups(known, count);
  for (const std::string& name : parts_.networks.List())
    if (!known.networks.contains(name)) parts_.networks.Release(name);
  for (const std::string& name : parts_.storage.List()) {
    if (known.folders.contains(name) || still_used.contains(name)) continue;
    Status removed = parts_.storage.Remove(name);
    if (!removed)
      log::Error("sweep.files_left", {{"folder", name}, {"error", removed.error().message}});
    ++count;
  }
  for (const std::string& layer : parts_.storage.ListLayers())
    if (!known.layers.contains(layer)) std::ignore = parts_.storage.RemoveLayer(layer);
  UniqueFd again(::openat(run_folder_.get(), ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC));
  DIR* listing = again ? ::fdopendir(again.release()) : nullptr;
  if (listing == nullptr) return count;
  while (dirent* entry = ::readdir(listing)) {
    std::string_view name = entry->d_name;
    if (!name.ends_with(kSocketEnding)) continue;
    name.remove_suffix(kSocketEnding.size());
    if (!known.kernel_names.contains(std::string(name)))
      ::unlinkat(run_folder_.get(), entry->d_name, 0);
  }
  ::closedir(listing);
  return count;
}

}  // namespace viv::boxes
