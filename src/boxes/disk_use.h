#pragma once
// Computes how much of the boxes' image each account uses. While the folder of a box exists, the
// file system charges it with everything the box wrote, including what only a layer sealed from it
// still needs. Once the folder is gone, the layer is charged with what the box used when it was
// sealed; the name of the layer has this number, so that it survives a restart.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace viv::boxes {

// The name of a layer that is sealed from a box's folder, which uses `used_bytes`.
std::string LayerNameOf(std::string_view random, std::string_view folder, std::int64_t used_bytes);
struct LayerOrigin {
  std::string folder;
  std::int64_t used_bytes = 0;
};
std::optional<LayerOrigin> ReadLayerName(std::string_view layer);  // nothing for older ones

struct DiskHolder {  // a box or a snapshot
  std::string account_id;
  std::string folder;           // empty: it has no files of its own
  std::int64_t used_bytes = 0;  // by the folder
  std::set<std::string> layers;
};
using BytesByAccount = std::map<std::string, std::int64_t, std::less<>>;
BytesByAccount DiskUseOf(const std::vector<DiskHolder>& holders);

}  // namespace viv::boxes
