#include "runtime/machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/unique_fd.h"
#include "runtime/cgroup_files.h"
#include "runtime/cgroup_layout.h"
#include "runtime/cgroups.h"
#include "runtime/trial.h"

namespace viv::runtime {
namespace {

using State = MachineCheck::State;

int DoNothing(const void*) {
  return 0;
}

// In a mount namespace of its own: a tmpfs on /proc with an overlay in it.
int MountTrialOverlay(const void*) {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", "/proc", "tmpfs", 0, "size=1m") != 0 || ::chdir("/proc") != 0)
    return errno;
  for (const char* folder : {"lower", "upper", "work", "root"})
    if (::mkdir(folder, 0755) != 0) return errno;
  return ::mount("overlay", "root", "overlay", MS_NODEV,
                 "lowerdir=lower,upperdir=upper,workdir=work,redirect_dir=on,metacopy=off,"
                 "index=off,xino=auto,volatile") == 0
             ? 0
             : errno;
}

MachineCheck CheckOf(std::string name, int error, std::string finding, std::string advice) {
  if (error == 0) return {std::move(name), State::kPresent, std::move(finding), ""};
  return {std::move(name), State::kMissing, ErrnoMessage(error), std::move(advice)};
}

MachineCheck ProbeRoot() {
  return CheckOf("root", ::geteuid() == 0 ? 0 : EPERM, "host root",
                 "run the server as root: it makes namespaces and mounts, and no box runs as root");
}

MachineCheck ProbeAgent(const std::string& agent) {
  return CheckOf("agent", ::access(agent.c_str(), X_OK) == 0 ? 0 : errno, agent,
                 "build viv-agent and keep it beside viv: " + agent);
}

MachineCheck ProbeNamespaces() {
  constexpr std::uint64_t kKinds = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
                                   CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWNET;
  return CheckOf("namespaces", TryInChild(kKinds, DoNothing),
                 "user, mount, pid, ipc, uts, cgroup, net",
                 "allow user namespaces: sysctl user.max_user_namespaces, and in a container "
                 "--privileged");
}

// Whether owners of files below `folder` can be moved into a box's range.
int MapTrialMount(const std::string& folder) {
  UniqueFd users;
  if (int error = MakeTrialUserNamespace(users); error != 0) return error;
  UniqueFd mount(static_cast<int>(
      ::syscall(SYS_open_tree, AT_FDCWD, folder.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC)));
  if (!mount) return errno;
  mount_attr mapped{};
  mapped.attr_set = MOUNT_ATTR_IDMAP;
  mapped.userns_fd = static_cast<std::uint64_t>(users.get());
  bool works =
      ::syscall(SYS_mount_setattr, mount.get(), "", AT_EMPTY_PATH, &mapped, sizeof mapped) == 0;
  return works ? 0 : errno;
}

MachineCheck ProbeIdMaps(const std::string& folder) {
  return CheckOf("id-mapped mounts", MapTrialMount(folder), "on the file system of " + folder,
                 "use Linux 5.19 or later with " + folder + " on ext4, XFS or btrfs");
}

MachineCheck ProbeOverlay() {
  return CheckOf("overlay", TryInChild(CLONE_NEWNS, MountTrialOverlay), "mounts",
                 "load the overlay module (modprobe overlay)");
}

MachineCheck ProbeSeccomp() {
  std::uint32_t action = SECCOMP_RET_ERRNO;
  bool works = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  return CheckOf("system call filter", works ? 0 : errno, "seccomp with error answers",
                 "use a kernel with CONFIG_SECCOMP_FILTER");
}

MachineCheck ProbeLandlock() {
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi >= 2) return {"Landlock", State::kPresent, fmt::format("version {}", abi), ""};
  return {"Landlock", State::kDegraded, abi < 0 ? "absent" : "version 1, which forbids renaming",
          "boxes run without it, one fence fewer; Linux 5.19 and lsm=landlock,… have it"};
}

MachineCheck ProbeCoreFiles() {
  auto pattern = ReadKernelFile(AT_FDCWD, "/proc/sys/kernel/core_pattern");
  if (pattern && !pattern->starts_with("|"))
    return {"core files", State::kPresent, "no program of the host handles crashes", ""};
  return {"core files", State::kDegraded, "a program of the host handles crashes, also of boxes",
          "sysctl kernel.core_pattern=core keeps it from reading what boxes hand it"};
}

std::string DescribeCgroups() {
  auto layout = FindCgroupLayout();
  if (!layout) return "";
  if (layout->v1.empty()) return "v2";
  return layout->v2_folder.empty() ? "v1" : "v1, with v2 beside it";
}

Status TryCgroups(Cgroups& groups) {
  ASSIGN_OR_RETURN(auto group, groups.Make("probe" + RandomHex(8), Limits{}));
  Status frozen = group->Freeze();
  if (frozen) frozen = group->Thaw();
  Status removed = groups.Remove(std::move(group));
  return frozen ? removed : frozen;
}

MachineCheck ProbeCgroups() {
  // A tag of its own, so that two probes at once do not take the folder from under each other.
  auto groups = Cgroups::Open("probe" + RandomHex(8));
  Status tried = groups ? TryCgroups(**groups) : Status(PassUp(groups.error()));
  if (tried) return {"control groups", State::kPresent, DescribeCgroups(), ""};
  return {"control groups", State::kMissing, tried.error().message,
          "boxes need the memory, cpu and pids controllers and a freezer"};
}

constexpr char kFileTableSetting[] = "/proc/sys/fs/file-max";
constexpr std::int64_t kFileTableMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

Status RaiseFileMax() {
  auto now = ReadKernelFile(AT_FDCWD, kFileTableSetting);
  if (now && ReadNumber(*now) == kFileTableMax) return {};
  return WriteKernelFile(AT_FDCWD, kFileTableSetting, std::to_string(kFileTableMax));
}

std::vector<MachineCheck> ProbeMachine(const std::string& agent, const std::string& data_folder) {
  return {ProbeRoot(),     ProbeAgent(agent), ProbeNamespaces(), ProbeIdMaps(data_folder),
          ProbeOverlay(),  ProbeSeccomp(),    ProbeLandlock(),   ProbeCgroups(),
          ProbeCoreFiles()};
}

}  // namespace viv::runtime
