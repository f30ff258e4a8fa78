#pragma once
// A box that the kernel knows: its processes, limits, network and files. Whoever holds it decides
// about its life; BoxHost makes and ends it.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "runtime/cgroups.h"
#include "storage/overlay.h"

namespace viv::boxes {

// What a later server needs to find a box again.
struct BoxHandle {
  std::string name;     // of its cgroup, socket and egress doors; new at each start
  std::string folder;   // of its files; kept while the box is stopped
  std::string network;  // of its network namespace
  std::uint32_t slot = 0;
  pid_t pid = -1;
  std::uint64_t start_time = 0;
  std::vector<storage::OverlayMount> overlays;  // what its files stand on
};

struct LiveBox {
  BoxHandle handle;
  UniqueFd pidfd;
  std::unique_ptr<runtime::Cgroup> cgroup;
};

}  // namespace viv::boxes
