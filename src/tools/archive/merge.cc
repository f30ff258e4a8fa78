#include "tools/archive/merge.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/archive_path.h"
#include "tools/archive/beneath.h"

namespace viv::tools {
namespace {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

Result<std::vector<std::string>> NamesIn(int folder) {
  UniqueFd again = OpenBeneath(folder, "", O_RDONLY | O_DIRECTORY);
  std::unique_ptr<DIR, FolderCloser> list(again ? ::fdopendir(again.get()) : nullptr);
  if (list == nullptr) return FailArchiveCall("read a folder", errno);
  (void)again.release();
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(list.get())) {
    std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(std::move(name));
  }
  return names;
}

enum class Kind { kNothing, kFolder, kOther };

Result<Kind> KindAt(int folder, const std::string& name) {
  struct stat status {};
  if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    return S_ISDIR(status.st_mode) ? Kind::kFolder : Kind::kOther;
  if (errno == ENOENT) return Kind::kNothing;
  return FailArchiveCall("look at '" + PrintableArchiveName(name) + "'", errno);
}

struct FolderPair {
  UniqueFd from, into;
};

Result<FolderPair> Descend(int from, int into, const std::string& name) {
  FolderPair pair{OpenBeneath(from, name, O_PATH | O_DIRECTORY),
                  OpenBeneath(into, name, O_PATH | O_DIRECTORY)};
  if (!pair.from || !pair.into)
    return FailArchiveCall("open '" + PrintableArchiveName(name) + "'", errno);
  return pair;
}

}  // namespace

Status CheckMerge(int from, int into) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(from));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Kind here, KindAt(from, name));
    ASSIGN_OR_RETURN(const Kind there, KindAt(into, name));
    if (there == Kind::kNothing) continue;
    if (here != there)
      return Fail(ErrorCode::kConflict,
                  "'" + PrintableArchiveName(name) + "' is " +
                      (here == Kind::kFolder ? "a folder" : "no folder") + " in the archive, but " +
                      (there == Kind::kFolder ? "a folder" : "no folder") + " in the workspace");
    if (here != Kind::kFolder) continue;
    ASSIGN_OR_RETURN(const FolderPair both, Descend(from, into, name));
    RETURN_IF_ERROR(CheckMerge(both.from.get(), both.into.get()));
  }
  return {};
}

Status ApplyMerge(int from, int into) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(from));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Kind here, KindAt(from, name));
    ASSIGN_OR_RETURN(const Kind there, KindAt(into, name));
    if (here == Kind::kFolder && there == Kind::kFolder) {
      ASSIGN_OR_RETURN(const FolderPair both, Descend(from, into, name));
      RETURN_IF_ERROR(ApplyMerge(both.from.get(), both.into.get()));
    } else if (::renameat(from, name.c_str(), into, name.c_str()) != 0) {
      return FailArchiveCall("move '" + PrintableArchiveName(name) + "' into the workspace", errno);
    }
  }
  return {};
}

}  // namespace viv::tools
