#include "agent/files/list_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "agent/files/paths.h"

namespace viv::agent {
namespace {

// The response is made in the agent's memory, a kilobyte for each.
constexpr std::size_t kListedEntriesMax = 100'000;

}  // namespace

ErrnoOr<FolderHandle> OpenFolder(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  int fd = ::open(path.c_str(), kFlags);
  if (fd < 0) return FailWithErrno();
  DIR* folder = ::fdopendir(fd);
  if (folder == nullptr) {
    int code = errno;
    ::close(fd);
    return FailWithErrno(code);
  }
  return FolderHandle(folder);
}

bool IsDotEntry(const char* name) {
  return std::string_view(name) == "." || std::string_view(name) == "..";
}

FolderWalk::FolderWalk(std::string real, std::string shown, std::size_t depth) : depth_(depth) {
  levels_.push_back({.real = std::move(real), .shown = std::move(shown)});
}

ErrnoOr<bool> FolderWalk::Step(std::size_t steps) {
  if (!started_) {
    Level root = std::move(levels_.back());
    levels_.pop_back();
    started_ = true;
    if (ErrnoOr<void> entered = Enter(root.real, root.shown); !entered)
      return FailWithErrno(entered.error());
  }
  for (; steps > 0 && !levels_.empty(); --steps) {
    Level& level = levels_.back();
    if (level.folder) {
      if (ErrnoOr<void> read = ReadName(level); !read) return FailWithErrno(read.error());
    } else if (level.next < level.names.size()) {
      Visit(level);
    } else {
      levels_.pop_back();
    }
  }
  return levels_.empty();
}

ErrnoOr<void> FolderWalk::Enter(std::string real, std::string shown) {
  ErrnoOr<FolderHandle> folder = OpenFolder(real);
  if (!folder) return FailWithErrno(folder.error());
  Level level{.real = std::move(real), .shown = std::move(shown)};
  level.folder = *std::move(folder);
  levels_.push_back(std::move(level));
  return {};
}

ErrnoOr<void> FolderWalk::ReadName(Level& level) {
  errno = 0;
  const dirent* found = ::readdir(level.folder.get());
  if (found == nullptr) {
    if (errno != 0 && levels_.size() == 1) return FailWithErrno();
    level.folder.reset();
    std::sort(level.names.begin(), level.names.end());
    return {};
  }
  if (IsDotEntry(found->d_name)) return {};
  if (entries_.size() + ++names_waiting_ > kListedEntriesMax) return FailWithErrno(E2BIG);
  level.names.emplace_back(found->d_name);
  return {};
}

void FolderWalk::Visit(Level& level) {
  const std::string& name = level.names[level.next++];
  --names_waiting_;
  std::string real = JoinPath(level.real, name);
  std::string shown = JoinPath(level.shown, name);
  ErrnoOr<Entry> entry = ReadEntry(real);
  if (!entry) return;  // gone meanwhile, or in a folder that may only be read
  bool folder = S_ISDIR(entry->info.st_mode);
  entry->path = shown;
  entries_.push_back(*std::move(entry));
  if (folder && levels_.size() < depth_) {
    static_cast<void>(Enter(std::move(real), std::move(shown)).has_value());
  }
}

}  // namespace viv::agent
