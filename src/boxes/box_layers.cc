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

BoxLayers::Reference BoxLayers::AddReference(const std::vector<storage::OverlayMount>& overlays) {
  std::set<std::string> layers = LayersIn(overlays);
  std::set<std::string> folders = TemplateFoldersIn(overlays);
  std::lock_guard lock(mutex_);
  for (const std::string& layer : layers) ++layers_[layer];
  for (const std::string& folder : folders) ++folders_[folder];
  return {this, [this, layers = std::move(layers), folders = std::move(folders)](void*) {
            Release(layers, folders);
          }};
}

std::vector<std::string> BoxLayers::DropReferences(Counts& counts,
                                                   const std::set<std::string>& names) {
  std::vector<std::string> unreferenced;
  for (const std::string& name : names) {
    auto found = counts.find(name);
    if (found == counts.end() || --found->second > 0) continue;
    counts.erase(found);
    unreferenced.push_back(name);
  }
  return unreferenced;
}

void BoxLayers::Release(const std::set<std::string>& layers, const std::set<std::string>& folders) {
  std::vector<std::string> unreferenced_layers, unreferenced_folders;
  {
    std::lock_guard lock(mutex_);
    if (stopped_removing_) return;
    unreferenced_layers = DropReferences(layers_, layers);
    unreferenced_folders = DropReferences(folders_, folders);
  }
  for (const std::string& layer : unreferenced_layers) {
    if (Status removed = storage_.RemoveLayer(layer); !removed)
      log::Error("layer.not_removed", {{"layer", layer}, {"error", removed.error().message}});
  }
  if (!on_unreferenced_) return;
  for (const std::string& folder : unreferenced_folders) on_unreferenced_(folder);
}

std::set<std::string> BoxLayers::referenced() const {
  std::lock_guard lock(mutex_);
  std::set<std::string> layers;
  for (const auto& [layer, count] : layers_) layers.insert(layer);
  return layers;
}

bool BoxLayers::IsReferenced(const std::string& folder) const {
  std::lock_guard lock(mutex_);
  for (const auto& [referenced, count] : folders_)
    if (folder == referenced || folder.starts_with(referenced + "/")) return true;
  return false;
}

void BoxLayers::StopRemoving() {
  std::lock_guard lock(mutex_);
  stopped_removing_ = true;
}

}  // namespace viv::boxes
