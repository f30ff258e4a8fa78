#include "boxes/disk_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace viv::boxes {

std::string LayerNameOf(std::string_view random, std::string_view folder, std::int64_t used_bytes) {
  return fmt::format("{}-{:x}-{}", random, std::max<std::int64_t>(0, used_bytes), folder);
}

std::optional<LayerOrigin> ReadLayerName(std::string_view layer) {
  const std::size_t size_at = layer.find('-');
  if (size_at == std::string_view::npos) return std::nullopt;
  const std::size_t folder_at = layer.find('-', size_at + 1);
  if (folder_at == std::string_view::npos || folder_at + 1 == layer.size()) return std::nullopt;
  LayerOrigin origin;
  const char* end = layer.data() + folder_at;
  auto read = std::from_chars(layer.data() + size_at + 1, end, origin.used_bytes, 16);
  if (read.ec != std::errc() || read.ptr != end || origin.used_bytes < 0) return std::nullopt;
  origin.folder = layer.substr(folder_at + 1);
  return origin;
}

BytesByAccount DiskUseOf(const std::vector<DiskHolder>& holders) {
  std::set<std::string_view> folders;
  for (const DiskHolder& holder : holders)
    if (!holder.folder.empty()) folders.insert(holder.folder);
  BytesByAccount use;
  // By account and folder that is gone. A later layer's size has the earlier ones' in it.
  std::map<std::pair<std::string_view, std::string>, std::int64_t> left;
  for (const DiskHolder& holder : holders) {
    use[holder.account_id] += holder.used_bytes;
    for (const std::string& layer : holder.layers) {
      auto origin = ReadLayerName(layer);
      if (!origin || folders.contains(origin->folder)) continue;
      std::int64_t& bytes = left[{holder.account_id, std::move(origin->folder)}];
      bytes = std::max(bytes, origin->used_bytes);
    }
  }
  for (const auto& [whose, bytes] : left) use.find(whose.first)->second += bytes;
  return use;
}

}  // namespace viv::boxes
