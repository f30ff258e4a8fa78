#pragma once
// The folders, one per hierarchy, below which a server keeps its groups, and which of them answers
// for which controller. Opened once; groups are reached by name from here.

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
  std::vector<std::string> controllers;  // those of the needed ones that live here

  bool Has(std::string_view controller) const;
};

class CgroupRoots {
 public:
  // Makes the folders where they are missing, and hands controllers down to them.
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
