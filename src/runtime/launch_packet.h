#pragma once
// A checked launch request, ready to be sent: its folders as detached mounts, the descriptors to
// join its cgroups, and the fixed part of the packet.

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

// Creates missing upper and work directories in the request's folder.
Result<LaunchPacket> PrepareLaunch(const BoxLaunchRequest& request);

}  // namespace viv::runtime
