#pragma once
// Who stands on which sealed layer and on which template's folder. A layer goes when nobody holds
// it any more: neither a snapshot's record nor a box whose files lie over it. So does a template's
// folder, once the template itself is gone. Thread-safe.

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

  using Reference =
      std::shared_ptr<void>;  // shared so that a box and a start under way hold it alike
  Reference AddReference(const std::vector<storage::OverlayMount>& overlays);
  std::set<std::string> referenced() const;
  bool IsReferenced(const std::string& folder) const;  // a template's, or one below it

  // `on_unreferenced` gets a template's folder that nobody holds any more. Set once, before the
  // first Take.
  using OnUnreferenced = std::function<void(const std::string& folder)>;
  void SetOnUnreferenced(OnUnreferenced on_unreferenced) {
    on_unreferenced_ = std::move(on_unreferenced);
  }
  // The server ends: from now on holds go without what they held, which the next server needs.
  void StopRemoving();

 private:
  using Counts = std::map<std::string, int>;
  // What nobody holds any more of `names`.
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
