#pragma once
// Reads a root file system as a box will see it from its layers, without mounting them. The layers
// are not trusted: this class resolves links itself, so that none leads out of the overlays.

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "storage/overlay.h"
#include "templates/folder_writer.h"

namespace viv::templates {

class LayeredRoot {
 public:
  explicit LayeredRoot(const std::vector<storage::OverlayMount>& overlays);

  // Paths have no '/' at their ends; "" is the root itself.
  struct Entry {
    enum class Kind { kMissing, kFile, kFolder, kLink, kOther };
    Kind kind = Kind::kMissing;
    Ownership ownership;
  };
  Entry Stat(const std::string& path) const;  // follows no link

  // The path with all links resolved; its last components may be missing. Nothing when it leads
  // through a file or a loop of links.
  std::optional<std::string> Resolve(std::string_view path) const;

  // Of a path without links. Nothing when it is no file, or has more bytes.
  std::optional<std::string> Read(const std::string& path, std::size_t bytes_max) const;
  // The names of a folder without links, at most `count_max`, in order.
  std::vector<std::string> List(const std::string& path, std::size_t count_max) const;

  // The overlay that holds the path, as an index into the given list, and the path within it.
  struct Location {
    std::size_t overlay = 0;
    std::string path;
  };
  Location Locate(const std::string& path) const;

 private:
  struct OpenOverlay {
    std::string mount_point;
    std::vector<UniqueFd> layers;
  };
  // Opens the topmost visible entry. A folder may continue in the layers below.
  UniqueFd OpenTopmost(const std::string& path, std::uint64_t flags) const;
  std::optional<std::string> ReadLink(const std::string& path) const;

  std::vector<OpenOverlay> overlays_;
};

}  // namespace viv::templates
