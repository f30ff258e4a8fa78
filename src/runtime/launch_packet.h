#pragma once
// A launch, checked and made ready to be sent: its folders opened as detached mounts, its cgroup's
// doors, and the fixed part of the packet.

#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "runtime/launcher.h"
#include "runtime/wire.h"

namespace viv::runtime {

struct LaunchPacket {
  WireRequest wire;
  std::vector<UniqueFd> opened;
  std::vector<int> descriptors;  // in the order of the wire, borrowed or from `opened`
};

// Makes the uppers and works of the request's folder where they are missing.
Result<LaunchPacket> PrepareLaunch(const BoxLaunchRequest& request);

}  // namespace viv::runtime
