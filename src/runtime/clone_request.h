#pragma once
// A request for a box, as the spawner reads it from its socket. The launcher has checked it; the
// spawner checks again the parts from which it builds mount options and paths.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "runtime/wire.h"

namespace viv::runtime {

struct RequestedOverlay {
  std::string mount_point;
  std::size_t layer_count = 0;
};

struct CloneRequest {
  std::uint32_t slot = 0;
  std::int64_t shm_bytes = 0;
  std::string hostname;
  std::vector<RequestedOverlay> overlays;
  UniqueFd listener, network, folder, v2_cgroup;
  std::vector<UniqueFd> tasks_files, layers;
};

// Nothing when the packet is malformed.
std::optional<CloneRequest> ReadCloneRequest(Packet packet);
// Gives up ownership of the descriptors without closing them.
void ReleaseDescriptors(CloneRequest& request);

// Whether an overlay may be mounted at that name in a box's root: a single plain name, and none at
// which containment itself mounts something.
bool IsOverlayMountPoint(std::string_view name);
bool IsHostname(std::string_view name);

// The overlay's mount options; its layers are /layers/`first_layer` and on.
std::string OverlayOptions(const RequestedOverlay& overlay, std::size_t first_layer);

}  // namespace viv::runtime
