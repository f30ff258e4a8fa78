#include "runtime/cgroup_layout.h"

#include <fcntl.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "runtime/cgroup_files.h"

namespace viv::runtime {
namespace {

// Mountinfo writes a space in a path as \040 and the like.
std::string UnescapeMountPath(std::string_view text) {
  auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      path +=
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      path += text[i];
    }
  }
  return path;
}

struct MountLine {
  std::string_view folder, type, options;
};

// "36 31 0:33 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory"
bool ReadMountLine(std::string_view line, MountLine& mount) {
  constexpr std::size_t kFolderField = 4;
  std::size_t separator = line.find(" - ");
  if (separator == std::string_view::npos) return false;
  auto before = Split(line.substr(0, separator), ' ');
  auto after = Split(line.substr(separator + 3), ' ');
  if (before.size() <= kFolderField || after.size() < 3) return false;
  mount = {before[kFolderField], after[0], after[2]};
  return true;
}

// Controllers that are bound to a v1 hierarchy: "4:memory:/some/group".
std::set<std::string_view> V1Controllers(std::string_view own_groups) {
  std::set<std::string_view> controllers;
  for (std::string_view line : Split(own_groups, '\n')) {
    auto fields = Split(line, ':');
    if (fields.size() < 3 || fields[0] == "0") continue;
    for (std::string_view name : Split(fields[1], ','))
      if (!name.empty() && (!name.starts_with("name=") || name == kSystemdHierarchy))
        controllers.insert(name);
  }
  return controllers;
}

}  // namespace

const CgroupHierarchy* CgroupLayout::FindV1(std::string_view controller) const {
  for (const CgroupHierarchy& hierarchy : v1) {
    const auto& names = hierarchy.controllers;
    if (std::find(names.begin(), names.end(), controller) != names.end()) return &hierarchy;
  }
  return nullptr;
}

CgroupLayout ReadCgroupLayout(std::string_view mountinfo, std::string_view own_groups) {
  std::set<std::string_view> known = V1Controllers(own_groups);
  CgroupLayout layout;
  for (std::string_view line : Split(mountinfo, '\n')) {
    MountLine mount;
    if (!ReadMountLine(line, mount)) continue;
    if (mount.type == "cgroup2" && layout.v2_folder.empty())
      layout.v2_folder = UnescapeMountPath(mount.folder);
    if (mount.type != "cgroup") continue;
    CgroupHierarchy hierarchy{UnescapeMountPath(mount.folder), {}};
    for (std::string_view option : Split(mount.options, ',')) {
      // A hierarchy that is mounted twice counts once.
      if (known.contains(option) && layout.FindV1(option) == nullptr)
        hierarchy.controllers.emplace_back(option);
    }
    if (!hierarchy.controllers.empty()) layout.v1.push_back(std::move(hierarchy));
  }
  return layout;
}

Result<CgroupLayout> FindCgroupLayout() {
  ASSIGN_OR_RETURN(std::string mounts, ReadKernelFile(AT_FDCWD, "/proc/self/mountinfo"));
  ASSIGN_OR_RETURN(std::string groups, ReadKernelFile(AT_FDCWD, "/proc/self/cgroup"));
  return ReadCgroupLayout(mounts, groups);
}

}  // namespace viv::runtime
