#pragma once
// A box with processes: its handle, its first process and its cgroup. BoxHost creates and ends it;
// the owner of this object decides when.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "runtime/cgroups.h"
#include "storage/overlay.h"

namespace viv::boxes {

// The names of a box's kernel objects and files, by which a later server finds them again.
struct BoxHandle {
  std::string name;     // of its cgroup, agent socket and egress listeners; new at each start
  std::string folder;   // of its files; kept while the box is stopped
  std::string network;  // of its network namespace
  std::uint32_t slot = 0;
  pid_t pid = -1;
  std::uint64_t start_time = 0;
  std::vector<storage::OverlayMount> overlays;  // the layers below its files
};

struct LiveBox {
  BoxHandle handle;
  UniqueFd pidfd;
  std::unique_ptr<runtime::Cgroup> cgroup;
};

}  // namespace viv::boxes
