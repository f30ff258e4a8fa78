#include "agent/files/inotify_tree.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "agent/files/atomic_file.h"
#include "agent/files/paths.h"

namespace viv::agent {
namespace {

constexpr std::size_t kInotifyBufferBytes = 16 * 1024;
constexpr std::size_t kWatchedFoldersMax = 32'768;
constexpr std::uint32_t kWatchedEvents = IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_DELETE |
                                         IN_DELETE_SELF | IN_MOVED_FROM | IN_MOVED_TO |
                                         IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;

bool IsFolderEntry(const std::string& folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat info {};
  return ::lstat(JoinPath(folder, entry.d_name).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsBelow(std::string_view name, std::string_view folder) {
  return name.starts_with(folder) && name.size() > folder.size() && name[folder.size()] == '/';
}

void AddChanges(std::uint32_t mask, const std::string& name, std::vector<Change>& changes) {
  if ((mask & (IN_CREATE | IN_MOVED_TO)) != 0) changes.push_back({name, ChangeType::kCreate});
  if ((mask & (IN_MOVED_FROM | IN_MOVE_SELF)) != 0) changes.push_back({name, ChangeType::kRename});
  if ((mask & IN_ATTRIB) != 0) changes.push_back({name, ChangeType::kChmod});
  if ((mask & IN_MODIFY) != 0) changes.push_back({name, ChangeType::kWrite});
  if ((mask & (IN_DELETE | IN_DELETE_SELF)) != 0) changes.push_back({name, ChangeType::kRemove});
}

}  // namespace

ErrnoOr<InotifyTree> InotifyTree::Create(std::string root, Depth depth) {
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return FailWithErrno();
  InotifyTree tree(std::move(root), depth, std::move(fd));
  if (ErrnoOr<void> watched = tree.Watch({"", false}); !watched)
    return FailWithErrno(watched.error());
  return tree;
}

std::string InotifyTree::PathOf(const std::string& name) const {
  return name.empty() ? root_ : JoinPath(root_, name);
}

// A folder is watched before it is scanned, so that no event is missed; an event may be reported
// twice.
ErrnoOr<void> InotifyTree::Watch(NewFolder folder) {
  bool is_root = folder.name.empty();
  if (names_.size() >= kWatchedFoldersMax) return FailWithErrno(ENOSPC);
  std::string path = PathOf(folder.name);
  std::uint32_t mask = kWatchedEvents | (is_root ? 0U : std::uint32_t{IN_DONT_FOLLOW});
  int watch = ::inotify_add_watch(fd_.get(), path.c_str(), mask);
  if (watch < 0) {
    if (is_root || errno == ENOSPC || errno == ENOMEM) return FailWithErrno();
    return {};  // gone meanwhile, or not the user's to read
  }
  names_[watch] = folder.name;
  if (depth_ == Depth::kFolderOnly) return {};
  // A root that is a link is followed; OpenFolder follows none.
  ErrnoOr<FolderHandle> opened = OpenFolder(is_root ? path + "/." : path);
  if (!opened) return {};
  scanned_ = *std::move(opened);
  scanned_folder_ = std::move(folder);
  return {};
}

void InotifyTree::ScanNext(std::vector<Change>& changes) {
  const dirent* found = ::readdir(scanned_.get());
  if (found == nullptr) {
    scanned_.reset();
    return;
  }
  if (IsDotEntry(found->d_name)) return;
  std::string name = JoinPath(scanned_folder_.name, found->d_name);
  bool hidden = std::string_view(found->d_name).starts_with(kTemporaryPrefix);
  if (scanned_folder_.report_entries && !hidden) changes.push_back({name, ChangeType::kCreate});
  if (IsFolderEntry(PathOf(scanned_folder_.name), *found)) {
    new_folders_.push_back({std::move(name), scanned_folder_.report_entries});
  }
}

ErrnoOr<bool> InotifyTree::Step(std::size_t steps, std::vector<Change>& changes) {
  for (; steps > 0; --steps) {
    if (scanned_) {
      ScanNext(changes);
      continue;
    }
    if (!new_folders_.empty()) {
      NewFolder folder = std::move(new_folders_.back());
      new_folders_.pop_back();
      if (ErrnoOr<void> watched = Watch(std::move(folder)); !watched)
        return FailWithErrno(watched.error());
      continue;
    }
    if (at_ == buffer_.size()) {
      ErrnoOr<bool> more = ReadMore();
      if (!more || !*more) return more;
    }
    inotify_event event{};
    std::memcpy(&event, buffer_.data() + at_, sizeof event);
    std::string_view name;  // padded with zeros
    if (event.len > 0) name = buffer_.data() + at_ + sizeof event;
    at_ += sizeof event + event.len;
    if (ErrnoOr<void> handled = Handle(event, name, changes); !handled)
      return FailWithErrno(handled.error());
  }
  return true;
}

ErrnoOr<bool> InotifyTree::ReadMore() {
  buffer_.resize(kInotifyBufferBytes);
  ssize_t got = ::read(fd_.get(), buffer_.data(), buffer_.size());
  int code = errno;
  buffer_.resize(got > 0 ? got : 0);
  at_ = 0;
  if (got > 0) return true;
  if (got < 0 && code != EAGAIN && code != EINTR) return FailWithErrno(code);
  if (moved_from_) {  // it came nowhere that we watch
    Forget(moved_from_->name);
    moved_from_.reset();
  }
  return false;
}

// Whether the event is of a temporary of ours, or of one that replaced a file.
bool InotifyTree::IsHidden(const inotify_event& event, std::string_view name) {
  if (name.starts_with(kTemporaryPrefix)) {
    if ((event.mask & IN_MOVED_FROM) != 0) {
      temporary_cookie_ = event.cookie;
      temporary_replaces_ = name.starts_with(kReplacingTemporaryPrefix);
    }
    return true;
  }
  bool arrives = (event.mask & IN_MOVED_TO) != 0 && event.cookie == temporary_cookie_;
  return arrives && temporary_cookie_ != 0 && temporary_replaces_;
}

ErrnoOr<void> InotifyTree::Handle(const inotify_event& event,
                                  std::string_view name,
                                  std::vector<Change>& changes) {
  if ((event.mask & IN_Q_OVERFLOW) != 0) return FailWithErrno(EOVERFLOW);
  if ((event.mask & IN_IGNORED) != 0) {
    names_.erase(event.wd);
    return {};
  }
  auto watched = names_.find(event.wd);
  if (watched == names_.end()) return {};
  const std::string folder = watched->second;
  if (name.empty()) {
    // Of a folder further down, the one above it tells.
    if (folder.empty()) AddChanges(event.mask, ".", changes);
    return {};
  }
  if (IsHidden(event, name)) return {};
  std::string full = JoinPath(folder, name);
  AddChanges(event.mask, full, changes);
  if (depth_ == Depth::kRecursive && (event.mask & IN_ISDIR) != 0) FollowFolder(event, full);
  return {};
}

void InotifyTree::FollowFolder(const inotify_event& event, const std::string& name) {
  if ((event.mask & IN_MOVED_FROM) != 0) {
    if (moved_from_) Forget(moved_from_->name);
    moved_from_ = MovedFolder{event.cookie, name};
  } else if ((event.mask & IN_MOVED_TO) != 0 && moved_from_ &&
             moved_from_->cookie == event.cookie) {
    RenameWatches(moved_from_->name, name);
    moved_from_.reset();
  } else if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
    new_folders_.push_back({name, true});
  }
}

void InotifyTree::RenameWatches(const std::string& from, const std::string& to) {
  for (auto& [watch, name] : names_) {
    if (name == from || IsBelow(name, from)) name.replace(0, from.size(), to);
  }
}

void InotifyTree::Forget(const std::string& name) {
  for (auto at = names_.begin(); at != names_.end();) {
    bool gone = at->second == name || IsBelow(at->second, name);
    if (gone) ::inotify_rm_watch(fd_.get(), at->first);
    at = gone ? names_.erase(at) : std::next(at);
  }
}

}  // namespace viv::agent
