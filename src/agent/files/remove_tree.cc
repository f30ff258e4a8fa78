#include "agent/files/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "agent/files/fs_user.h"
#include "agent/files/list_folder.h"
#include "agent/files/paths.h"
#include "agent/files/yield.h"

namespace viv::agent {
namespace {

constexpr std::size_t kRemovalsPerBatch = 256;
constexpr int kRemovalPassesMax = 16;  // over one folder that others keep filling

struct FolderIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FolderIdentity&, const FolderIdentity&) = default;
};

class Removal {
 public:
  explicit Removal(std::string path) : path_(std::move(path)) {}

  // True when all is gone. To be called as the user.
  ErrnoOr<bool> Step(std::size_t steps);

 private:
  // A folder above the one being emptied: which it is, and how many passes its child took.
  struct Above {
    FolderIdentity identity;
    std::string child;
  };
  ErrnoOr<bool> Start();
  ErrnoOr<void> EnterFolder(int fd);
  ErrnoOr<bool> RemoveNext();
  ErrnoOr<bool> LeaveFolder();
  ErrnoOr<void> Descend(const std::string& name);

  std::string path_;
  bool started_ = false;
  FolderHandle folder_;  // the one being emptied
  FolderIdentity identity_;
  int passes_ = 0;
  std::vector<Above> above_;
};

ErrnoOr<bool> Removal::Step(std::size_t steps) {
  if (!started_) {
    started_ = true;
    ErrnoOr<bool> done = Start();
    if (!done || *done) return done;
  }
  for (; steps > 0; --steps) {
    ErrnoOr<bool> done = RemoveNext();
    if (!done || *done) return done;
  }
  return false;
}

ErrnoOr<bool> Removal::Start() {
  if (::unlink(path_.c_str()) == 0 || errno == ENOENT) return true;
  if (errno != EISDIR && errno != EPERM) return FailWithErrno();
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  int fd = ::open(path_.c_str(), kFlags);
  if (fd < 0) {
    int code = errno;
    if (code == ENOTDIR || code == ELOOP) return FailWithErrno(EPERM);  // a file we may not remove
    if (::rmdir(path_.c_str()) == 0) return true;  // an empty one needs no reading
    return FailWithErrno(code);
  }
  if (ErrnoOr<void> entered = EnterFolder(fd); !entered) return FailWithErrno(entered.error());
  return false;
}

// Owns the descriptor.
ErrnoOr<void> Removal::EnterFolder(int fd) {
  struct stat info {};
  DIR* folder = ::fstat(fd, &info) == 0 ? ::fdopendir(fd) : nullptr;
  if (folder == nullptr) {
    int code = errno;
    ::close(fd);
    return FailWithErrno(code);
  }
  folder_.reset(folder);
  identity_ = {info.st_dev, info.st_ino};
  passes_ = 0;
  return {};
}

ErrnoOr<bool> Removal::RemoveNext() {
  errno = 0;
  const dirent* found = ::readdir(folder_.get());
  if (found == nullptr) {
    if (errno != 0) return FailWithErrno();
    return LeaveFolder();
  }
  if (IsDotEntry(found->d_name)) return false;
  int at = ::dirfd(folder_.get());
  if (found->d_type != DT_DIR) {
    if (::unlinkat(at, found->d_name, 0) == 0 || errno == ENOENT) return false;
    if (errno != EISDIR && errno != EPERM) return FailWithErrno();
  }
  if (::unlinkat(at, found->d_name, AT_REMOVEDIR) == 0 || errno == ENOENT) return false;
  if (errno != ENOTEMPTY && errno != EEXIST) return FailWithErrno(errno == ENOTDIR ? EPERM : errno);
  if (ErrnoOr<void> entered = Descend(found->d_name); !entered)
    return FailWithErrno(entered.error());
  return false;
}

ErrnoOr<void> Removal::Descend(const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  int fd = ::openat(::dirfd(folder_.get()), name.c_str(), kFlags);
  if (fd < 0) return FailWithErrno();
  above_.push_back({identity_, name});
  return EnterFolder(fd);
}

// True when that was the outermost one.
ErrnoOr<bool> Removal::LeaveFolder() {
  if (above_.empty()) {
    if (::rmdir(path_.c_str()) == 0 || errno == ENOENT) return true;
    if ((errno != ENOTEMPTY && errno != EEXIST) || ++passes_ > kRemovalPassesMax)
      return FailWithErrno();
    ::rewinddir(folder_.get());
    return false;
  }
  // Another process may have moved the folder: then ".." is another folder, in which nothing may be
  // removed.
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  int fd = ::openat(::dirfd(folder_.get()), "..", kFlags);
  if (fd < 0) return FailWithErrno();
  Above above = std::move(above_.back());
  above_.pop_back();
  int passes = passes_;
  if (ErrnoOr<void> entered = EnterFolder(fd); !entered) return FailWithErrno(entered.error());
  if (!(identity_ == above.identity)) return FailWithErrno(ESTALE);
  int at = ::dirfd(folder_.get());
  if (::unlinkat(at, above.child.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return false;
  if ((errno != ENOTEMPTY && errno != EEXIST) || ++passes > kRemovalPassesMax)
    return FailWithErrno();
  if (ErrnoOr<void> entered = Descend(above.child); !entered) return FailWithErrno(entered.error());
  passes_ = passes;
  return false;
}

}  // namespace

Task<FileResult<void>> RemoveTree(User user, std::string path) {
  if (std::string base = BaseOf(path); base == "." || base == "..") {
    co_return FailFile(EINVAL, "error removing file or directory: RemoveAll " + path);
  }
  Removal removal(path);
  for (;;) {
    ErrnoOr<bool> done =
        RunAsUserWithRootCapabilities(user, [&] { return removal.Step(kRemovalsPerBatch); });
    if (!done) {
      co_return FailFile(done.error(), "error removing file or directory: unlinkat " + path);
    }
    if (*done) co_return FileResult<void>();
    co_await Yield();
  }
}

}  // namespace viv::agent
