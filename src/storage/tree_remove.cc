#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>

#include "base/errno_error.h"
#include "base/unique_fd.h"
#include "storage/tree.h"

namespace viv::storage {
namespace {

// Empties one folder: files are unlinked, folders moved to `parent` and named in `waiting`.
Status EmptyFolder(int parent,
                   const std::string& name,
                   const std::string& prefix,
                   std::deque<std::string>& waiting,
                   std::size_t& moved) {
  const int folder = openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return FailErrno("open " + name);
  DIR* listing = fdopendir(folder);
  if (listing == nullptr) {
    close(folder);
    return FailErrno("list " + name);
  }
  Status emptied;
  while (const dirent* entry = readdir(listing)) {
    const std::string child = entry->d_name;
    if (child == "." || child == "..") continue;
    if (unlinkat(folder, child.c_str(), 0) == 0) continue;
    if (errno == EISDIR || errno == EPERM || errno == ENOTEMPTY) {
      if (unlinkat(folder, child.c_str(), AT_REMOVEDIR) == 0) continue;
      std::string aside = prefix + "-" + std::to_string(moved++);
      if (renameat(folder, child.c_str(), parent, aside.c_str()) == 0) {
        waiting.push_back(std::move(aside));
        continue;
      }
    }
    emptied = FailErrno("remove " + child);
    break;
  }
  closedir(listing);
  return emptied;
}

}  // namespace

Status RemoveTree(int parent, const std::string& name) {
  struct stat status {};
  if (fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return FailErrno("read " + name);
  if (!S_ISDIR(status.st_mode)) {
    if (unlinkat(parent, name.c_str(), 0) != 0) return FailErrno("remove " + name);
    return {};
  }
  std::deque<std::string> waiting = {name};
  std::size_t moved = 0;
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.front());
    waiting.pop_front();
    RETURN_IF_ERROR(EmptyFolder(parent, next, name, waiting, moved));
    if (unlinkat(parent, next.c_str(), AT_REMOVEDIR) != 0) return FailErrno("remove " + next);
  }
  return {};
}

}  // namespace viv::storage
