#pragma once
// A patch of several files, taken apart at its headers.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace viv::tools::git {

struct FileChange {
  std::optional<std::string> old_path, new_path;  // none: the file was made or deleted
  std::string hunks;                              // all behind the header
};

// What "git diff-tree -p" wrote; what precedes the first header is skipped.
std::vector<FileChange> SplitPatch(std::string_view patch);

}  // namespace viv::tools::git
