#pragma once
// Finds the sandbox whose token signed a link to a file, when neither the host name nor a header
// names it: clients that use one address for all sandboxes create such links. A search tries the
// token of every sandbox and needs no key, so all searches share a budget. Links that were found
// before are cached. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "boxes/boxes.h"
#include "dialects/e2b/signature.h"

namespace viv::e2b {

class LinkSearch {
 public:
  LinkSearch();

  struct Found {
    std::string box_id = {};  // empty: no sandbox signed it
    bool is_busy = false;     // the budget is exhausted: nothing was searched
  };
  Found Find(const boxes::Boxes& boxes, const FileLink& link, std::int64_t now_ms);

 private:
  bool HasBudget(std::int64_t now_ms);
  std::string FindCached(const std::string& signature);
  void AddToCache(const std::string& signature, const std::string& box_id);

  std::mutex mutex_;          // guards those below
  std::int64_t budget_left_;  // tokens that may still be tried; below 0 after a large search
  std::int64_t refilled_at_ms_ = 0;
  std::map<std::string, std::string> cache_;  // ids of boxes by signature
};

}  // namespace viv::e2b
