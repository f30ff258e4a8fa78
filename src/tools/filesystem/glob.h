#pragma once
// A glob over relative paths with the rules of the minimatch library (its option `dot` on):
// braces are expanded, ** stands for any number of folders, a leading ! turns the meaning round,
// a leading # makes a comment that matches nothing.

#include <string>
#include <string_view>
#include <vector>

#include "tools/filesystem/glob_segment.h"

namespace viv::tools::filesystem {

class Glob {
 public:
  explicit Glob(std::string_view pattern);  // UTF-8; longer than 4096 bytes it matches nothing

  bool Matches(std::string_view path) const;

 private:
  struct Part {
    bool any_folders = false;  // **
    GlobSegment segment;
  };
  using Parts = std::vector<Part>;
  static bool MatchesParts(const Parts& parts, const std::vector<std::u16string>& names);

  std::vector<Parts> choices_;  // one of which must match
  bool negated_ = false;
  bool never_ = false;
};

}  // namespace viv::tools::filesystem
