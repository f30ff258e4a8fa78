#include "boxes/box_layers.h"

#include <string_view>
#include <utility>

#include "base/log.h"

namespace viv::boxes {

std::set<std::string> LayersIn(const std::vector<storage::OverlayMount>& overlays) {
  constexpr std::string_view kFolder = "/layers/";
  std::set<std::string> layers;
  for (const storage::OverlayMount& overlay : overlays) {
    for (const std::string& path : overlay.layers) {
      // A sealed layer's folder ends in /layers/NAME/TREE/upper; a template's does not.
      const std::string ending = UpperDirOf("", overlay);
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

std::set<std::string> TemplateFoldersIn(const std::vector<storage::OverlayMount>& overlays) {
  constexpr std::string_view kFolder = "/trees/";
  std::set<std::string> folders;
  for (const storage::OverlayMount& overlay : overlays) {
    for (const std::string& path : overlay.layers) {
      const std::size_t place = path.rfind(kFolder);
      if (place == std::string::npos) continue;
      const std::size_t end = path.find('/', place + kFolder.size());
      if (end != std::string::npos) folders.insert(path.substr(0, end));
    }
  }
  return folders;
}

BoxLayers::Hold BoxLayers::Take(const std::vector<storage::OverlayMount>& overlays) {
  std::set<std::string> layers = LayersIn(overlays);
  std::set<std::string> folders = TemplateFoldersIn(overlays);
  std::lock_guard lock(mutex_);
  for (const std::string& layer : layers) ++layers_[layer];
  for (const std::string& folder : folders) ++folders_[folder];
  return {this, [this, layers = std::move(layers), folders = std::move(folders)](void*) {
            Release(layers, folders);
          }};
}

std::vector<std::string> BoxLayers::CountDown(Counts& counts, const std::set<std::string>& names) {
  std::vector<std::string> unheld;
  for (const std::string& name : names) {
    auto found = counts.find(name);
    if (found == counts.end() || --found->second > 0) continue;
    counts.erase(found);
    unheld.push_back(name);
  }
  return unheld;
}

void BoxLayers::Release(const std::set<std::string>& layers, const std::set<std::string>& folders) {
  std::vector<std::string> unheld_layers, unheld_folders;
  {
    std::lock_guard lock(mutex_);
    if (keeps_all_) return;
    unheld_layers = CountDown(layers_, layers);
    unheld_folders = CountDown(folders_, folders);
  }
  for (const std::string& layer : unheld_layers) {
    if (Status removed = storage_.RemoveLayer(layer); !removed)
      log::Error("layer.not_removed", {{"layer", layer}, {"error", removed.error().message}});
  }
  if (!give_up_) return;
  for (const std::string& folder : unheld_folders) give_up_(folder);
}

std::set<std::string> BoxLayers::held() const {
  std::lock_guard lock(mutex_);
  std::set<std::string> layers;
  for (const auto& [layer, count] : layers_) layers.insert(layer);
  return layers;
}

bool BoxLayers::HoldsFolder(const std::string& folder) const {
  std::lock_guard lock(mutex_);
  for (const auto& [held, count] : folders_)
    if (folder == held || folder.starts_with(held + "/")) return true;
  return false;
}

void BoxLayers::KeepAll() {
  std::lock_guard lock(mutex_);
  keeps_all_ = true;
}

}  // namespace viv::boxes
