#pragma once
// Which control group hierarchies this machine has mounted, and which controllers each carries.
// Read from the texts the kernel shows, so that every layout can be tested on any machine: v1
// alone, v2 alone, and v1 with v2 beside it.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::runtime {

// The v1 hierarchy in which systemd tracks the processes of its services. It limits nothing. It is
// treated like a controller here.
constexpr std::string_view kSystemdHierarchy = "name=systemd";

struct CgroupHierarchy {
  std::string folder;                    // where it is mounted
  std::vector<std::string> controllers;  // of v1; those of v2 are read from its own files
};

struct CgroupLayout {
  std::string v2_folder;  // empty: not mounted
  std::vector<CgroupHierarchy> v1;

  const CgroupHierarchy* FindV1(std::string_view controller) const;
};

// The texts of /proc/self/mountinfo and /proc/self/cgroup.
CgroupLayout ReadCgroupLayout(std::string_view mountinfo, std::string_view own_groups);

// The layout of this machine.
Result<CgroupLayout> FindCgroupLayout();

}  // namespace viv::runtime
