#pragma once
// Who stands on which sealed layer. A layer goes when nobody holds it any more: neither a
// snapshot's record nor a box whose files lie over it. Thread-safe.

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/tree.h"
#include "storage/box_storage.h"

namespace viv::sandbox {

// The names of the storage's layers among the folders of `trees`.
std::set<std::string> LayersIn(const std::vector<Tree>& trees);

class BoxLayers {
 public:
  explicit BoxLayers(storage::BoxStorage& storage) : storage_(storage) {}

  using Hold = std::shared_ptr<void>;  // shared so that a box and a start under way hold it alike
  Hold Take(const std::vector<Tree>& trees);
  std::set<std::string> held() const;

 private:
  void Release(const std::set<std::string>& layers);

  storage::BoxStorage& storage_;
  mutable std::mutex mutex_;  // guards the one below
  std::map<std::string, int> holders_;
};

}  // namespace viv::sandbox
