#pragma once
// The server's own folder in each cgroup hierarchy, and the controllers that each hierarchy has.
// The folders are opened once; the groups of boxes are reached by name below them.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "runtime/cgroup_layout.h"

namespace viv::runtime {

struct CgroupRoot {
  std::string path;  // ".../vivarium-TAG"
  UniqueFd folder;   // the same, open
  bool is_v2 = false;
  std::vector<std::string> controllers;  // the needed controllers that this hierarchy has

  bool Has(std::string_view controller) const;
};

class CgroupRoots {
 public:
  // Creates missing folders, and enables the controllers for them (cgroup.subtree_control).
  static Result<CgroupRoots> Open(const CgroupLayout& layout, const std::string& folder_name);

  const std::vector<CgroupRoot>& all() const { return all_; }
  const CgroupRoot* Find(std::string_view controller) const;
  const CgroupRoot* v2() const;

 private:
  Status AddV2(const std::string& mount, const std::string& folder_name);
  Status AddV1(const CgroupLayout& layout, const std::string& folder_name);
  Status CheckComplete() const;

  std::vector<CgroupRoot> all_;
};

}  // namespace viv::runtime
