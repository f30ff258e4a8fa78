#pragma once
// Counts the references to sealed layers and to the folders of templates. A layer is removed when
// its count drops to zero: no snapshot's record and no box uses it any more. The folder of a
// template is then reported to the owner of the templates. Thread-safe.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "storage/box_storage.h"
#include "storage/overlay.h"

namespace viv::boxes {

// The names of the storage's layers among the folders of `overlays`.
std::set<std::string> LayersIn(const std::vector<storage::OverlayMount>& overlays);
// The folders of templates among them: .../trees/KEY, below which a template's layers lie.
std::set<std::string> TemplateFoldersIn(const std::vector<storage::OverlayMount>& overlays);

class BoxLayers {
 public:
  explicit BoxLayers(storage::BoxStorage& storage) : storage_(storage) {}

  using Reference = std::shared_ptr<void>;  // shared by a box and by the operation that starts it
  Reference AddReference(const std::vector<storage::OverlayMount>& overlays);
  std::set<std::string> referenced() const;
  bool IsReferenced(const std::string& folder) const;  // the folder of a template, or one below it

  // `on_unreferenced` is called with the folder of a template when its last reference is dropped.
  // Set once, before the first AddReference.
  using OnUnreferenced = std::function<void(const std::string& folder)>;
  void SetOnUnreferenced(OnUnreferenced on_unreferenced) {
    on_unreferenced_ = std::move(on_unreferenced);
  }
  // Called when the server stops: from now on dropping the last reference removes nothing, because
  // the next server needs the layers.
  void StopRemoving();

 private:
  using Counts = std::map<std::string, int>;
  // Decrements the counts of `names` and returns those that dropped to zero.
  static std::vector<std::string> DropReferences(Counts& counts,
                                                 const std::set<std::string>& names);
  void Release(const std::set<std::string>& layers, const std::set<std::string>& folders);

  storage::BoxStorage& storage_;
  OnUnreferenced on_unreferenced_;
  mutable std::mutex mutex_;  // guards all below
  bool stopped_removing_ = false;
  Counts layers_;
  Counts folders_;
};

}  // namespace viv::boxes
