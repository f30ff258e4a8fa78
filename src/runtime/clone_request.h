#pragma once
// A launch as the spawner reads it from the wire. The launcher checked it before; the spawner
// checks again what it builds mount options and paths from.

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

// Nothing when anything is out of place.
std::optional<CloneRequest> ReadCloneRequest(Packet packet);
// Lets go of the descriptors without closing them.
void ReleaseDescriptors(CloneRequest& request);

// A folder in a box's root that an overlay may be mounted at: one plain name, none of those that
// containment fills itself.
bool IsOverlayMountPoint(std::string_view name);
bool IsHostname(std::string_view name);

// The overlay's mount options; its layers are /layers/`first_layer` and on.
std::string OverlayOptions(const RequestedOverlay& overlay, std::size_t first_layer);

}  // namespace viv::runtime
