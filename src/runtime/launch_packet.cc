#include "runtime/launch_packet.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/errno_error.h"
#include "runtime/clone_request.h"

namespace viv::runtime {
namespace {

tl::unexpected<Error> BadLaunch(const std::string& why) {
  return Fail(ErrorCode::kInvalidArgument, "launch: " + why);
}

Status CheckLaunch(const BoxLaunchRequest& request) {
  if (request.slot >= kSlotsMax) return BadLaunch("slot out of range");
  if (!IsHostname(request.hostname)) return BadLaunch("bad host name '" + request.hostname + "'");
  if (request.network < 0 || request.listener < 0) return BadLaunch("no network or no listener");
  if (request.cgroup == nullptr) return BadLaunch("no cgroup");
  if (request.shm_bytes < 0) return BadLaunch("negative shared memory");
  if (request.folder.empty() || request.folder.front() != '/')
    return BadLaunch("the box's folder is no absolute path");
  if (request.overlays.empty() || request.overlays.size() > kOverlaysMax ||
      !request.overlays[0].mount_point.empty())
    return BadLaunch("needs the root's overlay first, and at most 8 in all");
  std::size_t layers = 0;
  for (std::size_t i = 0; i < request.overlays.size(); ++i) {
    const storage::OverlayMount& overlay = request.overlays[i];
    if (i > 0 && !IsOverlayMountPoint(overlay.mount_point))
      return BadLaunch("bad mount point of an overlay: '" + overlay.mount_point + "'");
    if (overlay.layers.empty()) return BadLaunch("an overlay without layers");
    layers += overlay.layers.size();
  }
  if (layers > kLayersMax) return Fail(ErrorCode::kLimitExceeded, "launch: more than 128 layers");
  return {};
}

Status MakeOwnFolder(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return FailErrno(ErrorCode::kUnavailable, "make " + path);
}

// A volatile overlay leaves a mark in its work folder, and is not mounted again while it is there:
// a crash of the machine may have lost what was written last. For boxes that is accepted.
void ClearVolatileMark(const std::string& work) {
  const std::filesystem::path mark = std::filesystem::path(work) / "work" / "incompat";
  ::unlink((mark / "volatile" / "dirty").c_str());
  ::rmdir((mark / "volatile").c_str());
  ::rmdir(mark.c_str());
}

// The root of an overlay has the owner and mode of its upper directory, not of the layers below. A
// new upper directory gets those of the topmost layer.
Status MakeUpper(const storage::OverlayMount& overlay, const std::string& upper) {
  if (::mkdir(upper.c_str(), 0755) != 0) {
    if (errno == EEXIST) return {};
    return FailErrno(ErrorCode::kUnavailable, "make " + upper);
  }
  struct stat top {};
  if (::stat(overlay.layers.front().c_str(), &top) == 0 &&
      ::chown(upper.c_str(), top.st_uid, top.st_gid) == 0 &&
      ::chmod(upper.c_str(), top.st_mode & 07777U) == 0)
    return {};
  const Status failed =
      FailErrno(ErrorCode::kUnavailable, "make " + upper + " as " + overlay.layers.front() + " is");
  ::rmdir(upper.c_str());  // otherwise a later start would take it for a complete one
  return failed;
}

Status MakeUppers(const BoxLaunchRequest& request) {
  for (const storage::OverlayMount& overlay : request.overlays) {
    std::string upper = UpperDirOf(request.folder, overlay);
    RETURN_IF_ERROR(MakeOwnFolder(upper.substr(0, upper.rfind('/'))));
    RETURN_IF_ERROR(MakeUpper(overlay, upper));
    RETURN_IF_ERROR(MakeOwnFolder(WorkDirOf(request.folder, overlay)));
    ClearVolatileMark(WorkDirOf(request.folder, overlay));
  }
  return {};
}

// A detached mount of that folder, which is how the spawner gets it: the spawner has no path to it.
Result<UniqueFd> DetachedMount(const std::string& folder) {
  constexpr unsigned kFlags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW;
  UniqueFd mount(static_cast<int>(::syscall(SYS_open_tree, AT_FDCWD, folder.c_str(), kFlags)));
  if (!mount) return FailErrno(ErrorCode::kUnavailable, "open " + folder);
  return mount;
}

void AddDescriptor(LaunchPacket& packet, UniqueFd fd) {
  packet.descriptors.push_back(fd.get());
  packet.opened.push_back(std::move(fd));
}

}  // namespace

Result<LaunchPacket> PrepareLaunch(const BoxLaunchRequest& request) {
  RETURN_IF_ERROR(CheckLaunch(request));
  RETURN_IF_ERROR(MakeUppers(request));
  LaunchPacket packet;
  packet.wire.slot = request.slot;
  packet.wire.shm_bytes = request.shm_bytes;
  if (request.shm_bytes == 0) {
    // A box whose whole memory were files of /dev/shm could not free any of it by ending processes.
    ASSIGN_OR_RETURN(std::int64_t memory, request.cgroup->MemoryLimit());
    packet.wire.shm_bytes = std::max<std::int64_t>(memory / 2, 1);
  }
  std::memcpy(packet.wire.hostname, request.hostname.data(), request.hostname.size());
  packet.descriptors = {request.listener, request.network};
  ASSIGN_OR_RETURN(UniqueFd folder, DetachedMount(request.folder));
  AddDescriptor(packet, std::move(folder));

  ASSIGN_OR_RETURN(Cgroup::JoinDescriptors join, request.cgroup->OpenJoinDescriptors());
  packet.wire.has_v2_cgroup = join.v2_folder ? 1 : 0;
  if (join.v2_folder) AddDescriptor(packet, std::move(join.v2_folder));
  if (join.tasks_files.size() > kTasksFilesMax) return BadLaunch("too many cgroup hierarchies");
  packet.wire.tasks_count = static_cast<std::uint32_t>(join.tasks_files.size());
  for (UniqueFd& file : join.tasks_files) AddDescriptor(packet, std::move(file));

  packet.wire.overlay_count = static_cast<std::uint32_t>(request.overlays.size());
  for (std::size_t i = 0; i < request.overlays.size(); ++i) {
    const storage::OverlayMount& overlay = request.overlays[i];
    std::memcpy(packet.wire.overlays[i].mount_point, overlay.mount_point.data(),
                overlay.mount_point.size());
    packet.wire.overlays[i].layer_count = static_cast<std::uint32_t>(overlay.layers.size());
    for (const std::string& layer : overlay.layers) {
      ASSIGN_OR_RETURN(UniqueFd mount, DetachedMount(layer));
      AddDescriptor(packet, std::move(mount));
    }
  }
  return packet;
}

}  // namespace viv::runtime
