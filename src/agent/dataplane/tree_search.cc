#include "agent/dataplane/tree_search.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <utility>

#include "agent/files/atomic_file.h"
#include "agent/files/paths.h"

namespace viv::agent {
namespace {

// What the kernel makes up: without end, and full of files that are not what they seem.
bool IsVirtualFolder(DIR* folder) {
  struct statfs info {};
  if (::fstatfs(::dirfd(folder), &info) != 0) return false;
  return info.f_type == PROC_SUPER_MAGIC || info.f_type == SYSFS_MAGIC;
}

// The entry's type, asked for where the folder does not tell it.
unsigned char TypeOfEntry(DIR* folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat info {};
  if (::fstatat(::dirfd(folder), entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return S_ISDIR(info.st_mode) ? DT_DIR : S_ISLNK(info.st_mode) ? DT_LNK : DT_REG;
}

}  // namespace

TreeSearch::TreeSearch(std::string root, GlobPattern pattern, Limits limits)
    : root_(std::move(root)), pattern_(std::move(pattern)), limits_(limits) {
  while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
}

TreeSearch::TreeSearch(std::string root, GlobPattern pattern)
    : TreeSearch(std::move(root), std::move(pattern), Limits()) {}

ErrnoOr<void> TreeSearch::Open() {
  ErrnoOr<void> entered = Enter(root_, pattern_.Start(), Entered::kLink);
  if (entered) root_is_virtual_ = IsVirtualFolder(levels_.back().folder.get());
  return entered;
}

ErrnoOr<void> TreeSearch::Enter(const std::string& path, GlobPattern::State state, Entered as) {
  // "x/." is where x leads; x itself would be refused if it is a link.
  ErrnoOr<FolderHandle> folder = OpenFolder(as == Entered::kLink ? JoinPath(path, ".") : path);
  if (!folder) return FailWithErrno(folder.error());
  bool strange = !levels_.empty() && !root_is_virtual_ && IsVirtualFolder(folder->get());
  if (strange) return {};
  Level level;
  level.path = path;
  level.state = std::move(state);
  level.folder = *std::move(folder);
  levels_.push_back(std::move(level));
  return {};
}

TreeSearch::Step TreeSearch::Next() {
  if (levels_.empty()) return Step::kDone;
  Level& level = levels_.back();
  if (level.folder) {
    ReadName(level);
    return Step::kMore;
  }
  if (level.next < level.items.size()) return Take(level);
  levels_.pop_back();
  return levels_.empty() ? Step::kDone : Step::kMore;
}

void TreeSearch::ReadName(Level& level) {
  const dirent* entry = ::readdir(level.folder.get());
  if (entry == nullptr) return EndReading(level);
  if (IsDotEntry(entry->d_name)) return;
  if (++names_read_ > limits_.names_read || names_kept_ >= limits_.names_kept) {
    truncated_ = true;
    return EndReading(level);
  }
  std::string name = entry->d_name;
  if (name.starts_with(kTemporaryPrefix)) return;  // of an upload under way
  Consider(level, name, TypeOfEntry(level.folder.get(), *entry));
}

void TreeSearch::Consider(Level& level, const std::string& name, unsigned char type) {
  GlobPattern::State state = pattern_.Advance(level.state, name);
  if (pattern_.Accepts(state)) {
    level.items.push_back({.key = name, .state = {}});
    ++names_kept_;
  }
  if (type != DT_DIR && type != DT_LNK) return;
  bool link = type == DT_LNK;
  if (link) state = pattern_.AdvanceThroughLink(level.state, name);
  if (!pattern_.Continues(state)) return;
  level.items.push_back({.key = name + "/", .state = std::move(state), .link = link});
  ++names_kept_;
}

void TreeSearch::EndReading(Level& level) {
  level.folder.reset();
  std::sort(level.items.begin(), level.items.end(),
            [](const Item& a, const Item& b) { return a.key < b.key; });
}

TreeSearch::Step TreeSearch::Take(Level& level) {
  Item item = std::move(level.items[level.next++]);
  --names_kept_;
  if (!item.key.ends_with('/')) {
    found_ = JoinPath(level.path, item.key);
    return Step::kFound;
  }
  item.key.pop_back();
  if (levels_.size() >= limits_.depth) {
    truncated_ = true;
    return Step::kMore;
  }
  // `level` moves with what is entered now.
  std::string path = JoinPath(level.path, item.key);
  Entered as = item.link ? Entered::kLink : Entered::kFolder;
  ErrnoOr<void> entered = Enter(path, std::move(item.state), as);
  // A folder that may not be read, is gone, or was a link to a file has nothing to show.
  if (!entered && entered.error() == ENAMETOOLONG) truncated_ = true;
  return Step::kMore;
}

}  // namespace viv::agent
