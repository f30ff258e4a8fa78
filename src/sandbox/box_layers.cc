#include "sandbox/box_layers.h"

#include <string_view>
#include <utility>

#include "base/log.h"

namespace viv::sandbox {

std::set<std::string> LayersIn(const std::vector<Tree>& trees) {
  constexpr std::string_view kFolder = "/layers/";
  std::set<std::string> layers;
  for (const Tree& tree : trees) {
    for (const std::string& path : tree.layers) {
      // A sealed layer's folder ends in /layers/NAME/TREE/upper; a template's does not.
      const std::string ending = UpperOf("", tree);
      if (!path.ends_with(ending)) continue;
      const std::string sealed = path.substr(0, path.size() - ending.size());
      const std::size_t slash = sealed.rfind('/');
      if (slash == std::string::npos || slash + 1 < kFolder.size()) continue;
      if (sealed.compare(slash + 1 - kFolder.size(), kFolder.size(), kFolder) == 0)
        layers.insert(sealed.substr(slash + 1));
    }
  }
  return layers;
}

BoxLayers::Hold BoxLayers::Take(const std::vector<Tree>& trees) {
  std::set<std::string> layers = LayersIn(trees);
  std::lock_guard lock(mutex_);
  for (const std::string& layer : layers) ++holders_[layer];
  return {this, [this, layers = std::move(layers)](void*) { Release(layers); }};
}

void BoxLayers::Release(const std::set<std::string>& layers) {
  std::vector<std::string> unheld;
  {
    std::lock_guard lock(mutex_);
    for (const std::string& layer : layers) {
      auto found = holders_.find(layer);
      if (found == holders_.end() || --found->second > 0) continue;
      holders_.erase(found);
      unheld.push_back(layer);
    }
  }
  for (const std::string& layer : unheld) {
    if (Status removed = storage_.RemoveLayer(layer); !removed)
      log::Error("layer.not_removed", {{"layer", layer}, {"error", removed.error().message}});
  }
}

std::set<std::string> BoxLayers::held() const {
  std::lock_guard lock(mutex_);
  std::set<std::string> layers;
  for (const auto& [layer, count] : holders_) layers.insert(layer);
  return layers;
}

}  // namespace viv::sandbox
