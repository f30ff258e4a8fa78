#include "runtime/cgroup_places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "runtime/cgroup_files.h"

namespace viv::runtime {
namespace {

// Without these a box could take the whole machine.
constexpr std::string_view kNeededControllers[] = {"memory", "cpu", "pids"};

Status MakeGroupFolder(const std::string& mount, const std::string& name, CgroupPlace& place) {
  std::string path = mount + "/" + name;
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST)
    return Fail(ErrorCode::kUnavailable, "make " + path + ": " + std::strerror(errno) +
                                             "; the server needs to run as root with " + mount +
                                             " mounted writable");
  place.folder = UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place.folder)
    return Fail(ErrorCode::kUnavailable, "open " + path + ": " + std::strerror(errno));
  place.path = std::move(path);
  return {};
}

// Lets the children of a v2 folder have these controllers.
Status HandDown(int folder, const std::string& path, const std::vector<std::string>& controllers) {
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

bool CgroupPlace::Has(std::string_view controller) const {
  return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

const CgroupPlace* CgroupPlaces::Find(std::string_view controller) const {
  for (const CgroupPlace& place : all_)
    if (place.Has(controller)) return &place;
  return nullptr;
}

const CgroupPlace* CgroupPlaces::v2() const {
  for (const CgroupPlace& place : all_)
    if (place.is_v2) return &place;
  return nullptr;
}

Status CgroupPlaces::AddV2(const std::string& mount, const std::string& folder_name) {
  UniqueFd top(::open(mount.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return Fail(ErrorCode::kUnavailable, "open " + mount + ": " + std::strerror(errno));
  ASSIGN_OR_RETURN(std::string offered, ReadKernelFile(top.get(), "cgroup.controllers"));
  CgroupPlace place;
  place.is_v2 = true;
  auto names = Split(Trim(offered), ' ');
  for (std::string_view needed : kNeededControllers)
    if (std::find(names.begin(), names.end(), needed) != names.end())
      place.controllers.emplace_back(needed);
  RETURN_IF_ERROR(MakeGroupFolder(mount, folder_name, place));
  RETURN_IF_ERROR(HandDown(top.get(), "cgroup.subtree_control", place.controllers));
  RETURN_IF_ERROR(HandDown(place.folder.get(), "cgroup.subtree_control", place.controllers));
  all_.push_back(std::move(place));
  return {};
}

Status CgroupPlaces::AddV1(const CgroupLayout& layout, const std::string& folder_name) {
  std::vector<std::string_view> wanted(std::begin(kNeededControllers),
                                       std::end(kNeededControllers));
  // v2 brings a freezer, counts time even where it has no controllers, and is where systemd looks
  // for what belongs to a service. Without it a box needs a group in systemd's own hierarchy too:
  // what is left in the server's group ends with its service.
  if (v2() == nullptr) wanted.insert(wanted.end(), {"freezer", "cpuacct", kSystemdHierarchy});
  for (const CgroupHierarchy& hierarchy : layout.v1) {
    CgroupPlace place;
    for (std::string_view name : wanted) {
      const auto& here = hierarchy.controllers;
      if (std::find(here.begin(), here.end(), name) != here.end())
        place.controllers.emplace_back(name);
    }
    if (place.controllers.empty()) continue;
    RETURN_IF_ERROR(MakeGroupFolder(hierarchy.folder, folder_name, place));
    all_.push_back(std::move(place));
  }
  return {};
}

Status CgroupPlaces::CheckComplete() const {
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

Result<CgroupPlaces> CgroupPlaces::Open(const CgroupLayout& layout,
                                        const std::string& folder_name) {
  CgroupPlaces places;
  if (!layout.v2_folder.empty()) {
    RETURN_IF_ERROR(places.AddV2(layout.v2_folder, folder_name));
  }
  RETURN_IF_ERROR(places.AddV1(layout, folder_name));
  RETURN_IF_ERROR(places.CheckComplete());
  return places;
}

}  // namespace viv::runtime
