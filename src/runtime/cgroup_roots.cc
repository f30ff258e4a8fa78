#include "runtime/cgroup_roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/errno_error.h"
#include "base/text.h"
#include "runtime/cgroup_files.h"

namespace viv::runtime {
namespace {

// Without these a box could take the whole machine.
constexpr std::string_view kNeededControllers[] = {"memory", "cpu", "pids"};

Status MakeGroupFolder(const std::string& mount, const std::string& name, CgroupRoot& root) {
  std::string path = mount + "/" + name;
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return Fail(ErrorCode::kUnavailable, "make " + path + ": " + ErrnoMessage(errno) +
                                             "; the server needs to run as root with " + mount +
                                             " mounted writable");
  root.folder = UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.folder) return FailErrno(ErrorCode::kUnavailable, "open " + path);
  root.path = std::move(path);
  return {};
}

// Enables these controllers for the children of a v2 folder.
Status EnableSubtreeControllers(int folder,
                                const std::string& path,
                                const std::vector<std::string>& controllers) {
  ASSIGN_OR_RETURN(std::string present, ReadKernelFile(folder, path));
  auto names = Split(Trim(present), ' ');
  for (const std::string& controller : controllers) {
    if (std::find(names.begin(), names.end(), controller) != names.end()) continue;
    Status enabled = WriteKernelFile(folder, path, "+" + controller);
    if (!enabled)
      return Fail(ErrorCode::kUnavailable,
                  enabled.error().message +
                      "; the group that is mounted there has processes of its own: in a container, "
                      "start it with the host's cgroup namespace (--cgroupns=host)");
  }
  return {};
}

}  // namespace

bool CgroupRoot::Has(std::string_view controller) const {
  return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

const CgroupRoot* CgroupRoots::Find(std::string_view controller) const {
  for (const CgroupRoot& root : all_)
    if (root.Has(controller)) return &root;
  return nullptr;
}

const CgroupRoot* CgroupRoots::v2() const {
  for (const CgroupRoot& root : all_)
    if (root.is_v2) return &root;
  return nullptr;
}

Status CgroupRoots::AddV2(const std::string& mount, const std::string& folder_name) {
  UniqueFd top(::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return FailErrno(ErrorCode::kUnavailable, "open " + mount);
  ASSIGN_OR_RETURN(std::string offered, ReadKernelFile(top.get(), "cgroup.controllers"));
  CgroupRoot root;
  root.is_v2 = true;
  auto names = Split(Trim(offered), ' ');
  for (std::string_view needed : kNeededControllers)
    if (std::find(names.begin(), names.end(), needed) != names.end())
      root.controllers.emplace_back(needed);
  RETURN_IF_ERROR(MakeGroupFolder(mount, folder_name, root));
  RETURN_IF_ERROR(EnableSubtreeControllers(top.get(), "cgroup.subtree_control", root.controllers));
  RETURN_IF_ERROR(
      EnableSubtreeControllers(root.folder.get(), "cgroup.subtree_control", root.controllers));
  all_.push_back(std::move(root));
  return {};
}

Status CgroupRoots::AddV1(const CgroupLayout& layout, const std::string& folder_name) {
  std::vector<std::string_view> wanted(std::begin(kNeededControllers),
                                       std::end(kNeededControllers));
  // v2 brings a freezer, counts time even where it has no controllers, and is where systemd looks
  // for what belongs to a service. Without it a box needs a group in systemd's own hierarchy too:
  // what is left in the server's group ends with its service.
  if (v2() == nullptr) wanted.insert(wanted.end(), {"freezer", "cpuacct", kSystemdHierarchy});
  for (const CgroupHierarchy& hierarchy : layout.v1) {
    CgroupRoot root;
    for (std::string_view name : wanted) {
      const auto& here = hierarchy.controllers;
      if (std::find(here.begin(), here.end(), name) != here.end())
        root.controllers.emplace_back(name);
    }
    if (root.controllers.empty()) continue;
    RETURN_IF_ERROR(MakeGroupFolder(hierarchy.folder, folder_name, root));
    all_.push_back(std::move(root));
  }
  return {};
}

Status CgroupRoots::CheckComplete() const {
  for (std::string_view needed : kNeededControllers) {
    if (Find(needed) != nullptr) continue;
    std::string name(needed);
    return Fail(ErrorCode::kUnavailable, "no control group hierarchy offers '" + name +
                                             "'; boot with cgroup_enable=" + name +
                                             ", or mount /sys/fs/cgroup");
  }
  if (v2() == nullptr && Find("freezer") == nullptr)
    return Fail(ErrorCode::kUnavailable,
                "no control group hierarchy can freeze; mount cgroup2 or the v1 freezer");
  return {};
}

Result<CgroupRoots> CgroupRoots::Open(const CgroupLayout& layout, const std::string& folder_name) {
  CgroupRoots roots;
  if (!layout.v2_folder.empty()) {
    RETURN_IF_ERROR(roots.AddV2(layout.v2_folder, folder_name));
  }
  RETURN_IF_ERROR(roots.AddV1(layout, folder_name));
  RETURN_IF_ERROR(roots.CheckComplete());
  return roots;
}

}  // namespace viv::runtime
