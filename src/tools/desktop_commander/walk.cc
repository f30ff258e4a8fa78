#include "tools/desktop_commander/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/errno_error.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kDepthMax = 200;
constexpr std::size_t kEntriesMax = 2'000'000;
constexpr std::size_t kFolderEntriesMax = 500'000;

struct DirCloser {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

EntryKind KindOf(DIR* dir, const dirent& entry) {
  if (entry.d_type == DT_DIR) return EntryKind::kFolder;
  if (entry.d_type == DT_REG) return EntryKind::kFile;
  struct stat status {};
  if (entry.d_type != DT_UNKNOWN ||
      ::fstatat(::dirfd(dir), entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
    return EntryKind::kOther;
  return S_ISDIR(status.st_mode)   ? EntryKind::kFolder
         : S_ISREG(status.st_mode) ? EntryKind::kFile
                                   : EntryKind::kOther;
}

class WalkState {
 public:
  WalkState(Walker& walker, const WalkLimits& limits) : walker_(walker), limits_(limits) {}

  bool Folder(UniqueFd folder, const std::string& path, std::size_t depth) {
    UniqueFd listed(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
    auto entries = ReadFolder(std::move(listed));
    if (!entries) return true;
    walker_.Enter(folder.get(), path);
    const bool going = Entries(folder.get(), path, *entries, depth);
    walker_.Leave();
    return going;
  }

 private:
  bool Entries(int folder,
               const std::string& path,
               const std::vector<FolderEntry>& entries,
               std::size_t depth) {
    for (const FolderEntry& entry : entries) {
      if (++seen_ > kEntriesMax || limits_.Over()) return false;
      const std::string below = (path == "/" ? "" : path) + "/" + entry.name;
      if (!walker_.Visit(folder, below, entry)) continue;
      if (entry.kind != EntryKind::kFolder || depth >= kDepthMax) continue;
      UniqueFd inner(
          ::openat(folder, entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (inner && !Folder(std::move(inner), below, depth + 1)) return false;
    }
    return true;
  }

  Walker& walker_;
  const WalkLimits& limits_;
  std::size_t seen_ = 0;
};

}  // namespace

Result<std::vector<FolderEntry>> ReadFolder(UniqueFd folder) {
  std::unique_ptr<DIR, DirCloser> dir(::fdopendir(folder.get()));
  if (dir == nullptr) return FailErrno(ErrorCode::kUnavailable, "scandir");
  folder.release();
  std::vector<FolderEntry> entries;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entries.size() >= kFolderEntriesMax) break;
    entries.push_back({std::string(name), KindOf(dir.get(), *entry)});
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

WalkResult Walk(UniqueFd root, const std::string& path, Walker& walker, const WalkLimits& limits) {
  return WalkState(walker, limits).Folder(std::move(root), path, 0) ? WalkResult::kAll
                                                                    : WalkResult::kStopped;
}

}  // namespace viv::tools::commander
