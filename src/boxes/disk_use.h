#pragma once
// What each account's boxes and snapshots take of the boxes' image. The storage counts what a box
// wrote, also what only a layer sealed from it still needs, as long as the box's folder is there. A
// layer therefore costs something of its own once that folder is gone: what the box took when it
// was sealed, which the layer's name says, so that it is known after a restart too.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace viv::boxes {

// A name for a layer that is sealed from a box's folder, which takes so much.
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
