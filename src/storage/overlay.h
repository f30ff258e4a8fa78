#pragma once
// A part of a box's root file system that has layers of its own: "" is the root, "usr" what is
// mounted at /usr. Each tree is one overlay; what the box changes in it lies in the box's folder.

#include <string>
#include <vector>

namespace viv::storage {

struct OverlayMount {
  std::string mount_point;          // "" or one name, such as "usr"
  std::vector<std::string> layers;  // folders of the host, the topmost first; files in them have
                                    // the owners that the box sees

  bool operator==(const OverlayMount&) const = default;
};

// Where the changes to a tree lie in a box's folder, or in a layer sealed from it.
inline std::string UpperDirOf(const std::string& folder, const OverlayMount& overlay) {
  return folder + "/" + (overlay.mount_point.empty() ? "root" : overlay.mount_point) + "/upper";
}
inline std::string WorkDirOf(const std::string& folder, const OverlayMount& overlay) {
  return folder + "/" + (overlay.mount_point.empty() ? "root" : overlay.mount_point) + "/work";
}

}  // namespace viv::storage
