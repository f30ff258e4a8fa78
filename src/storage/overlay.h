#pragma once
// The overlay mounts that a box's root file system is made of: one for the root, and one for each
// folder that has layers of its own, such as /usr. What the box changes in an overlay lies in the
// box's folder, in the overlay's upper directory.

#include <string>
#include <vector>

namespace viv::storage {

struct OverlayMount {
  std::string mount_point;          // "" or one name, such as "usr"
  std::vector<std::string> layers;  // folders of the host, the topmost first; files in them have
                                    // the owners that the box sees

  bool operator==(const OverlayMount&) const = default;
};

// The overlay's upper and work directories in a box's folder. A layer that was made from a box has
// its upper directory at the same place.
inline std::string UpperDirOf(const std::string& folder, const OverlayMount& overlay) {
  return folder + "/" + (overlay.mount_point.empty() ? "root" : overlay.mount_point) + "/upper";
}
inline std::string WorkDirOf(const std::string& folder, const OverlayMount& overlay) {
  return folder + "/" + (overlay.mount_point.empty() ? "root" : overlay.mount_point) + "/work";
}

}  // namespace viv::storage
