#pragma once
// What a folder holds, in the order of the names' bytes, as Node lists it.

#include <string>
#include <vector>

#include "tools/filesystem/resolved_path.h"

namespace viv::tools::filesystem {

struct Entry {
  std::string name;  // its bytes; not necessarily UTF-8
  bool is_folder = false;
  bool is_link = false;
};

struct Folder {
  UniqueFd fd;
  std::vector<Entry> entries;
};

// Fails as Node's scandir does, or when there are more than a hundred thousand entries.
Result<Folder> ListFolder(const Workspace& workspace, const ResolvedPath& resolved);
// A folder within one that is open; links are not followed.
Result<Folder> ListFolder(const Folder& parent, const Entry& entry, const std::string& shown);

}  // namespace viv::tools::filesystem
