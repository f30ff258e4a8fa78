#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>
#include <map>
#include <utility>
#include <vector>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/unique_fd.h"
#include "storage/tree.h"

namespace viv::storage {
namespace {

constexpr int kCopyFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string DescriptorPath(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

Status CopyAttributes(const std::string& from, const std::string& to) {
  ssize_t size = llistxattr(from.c_str(), nullptr, 0);  // most have none: no buffers for them
  if (size == 0 || (size < 0 && errno == ENOTSUP)) return {};
  std::vector<char> names(XATTR_LIST_MAX);
  size = llistxattr(from.c_str(), names.data(), names.size());
  if (size < 0) return FailErrno("list attributes");
  std::vector<char> value(XATTR_SIZE_MAX);
  for (ssize_t at = 0; at < size;) {
    const std::string name = &names[static_cast<std::size_t>(at)];
    at += static_cast<ssize_t>(name.size()) + 1;
    const ssize_t length = lgetxattr(from.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0) return FailErrno("read attribute " + name);
    if (lsetxattr(to.c_str(), name.c_str(), value.data(), static_cast<std::size_t>(length), 0) != 0)
      return FailErrno("write attribute " + name);
  }
  return {};
}

Status CopyData(int from, int to, off_t size) {
  if (ioctl(to, FICLONE, from) == 0) return {};
  off_t left = size;
  while (left > 0) {
    const ssize_t done =
        copy_file_range(from, nullptr, to, nullptr, static_cast<std::size_t>(left), 0);
    if (done < 0) return FailErrno("copy data");
    if (done == 0) break;
    left -= done;
  }
  return {};
}

class TreeCopier {
 public:
  Status Run(int source, int parent, const std::string& name) {
    struct stat status {};
    if (fstat(source, &status) != 0) return FailErrno("read a folder");
    UniqueFd from(openat(source, ".", kCopyFolderFlags));
    if (!from) return FailErrno("open a folder");
    return Folder(std::move(from), parent, name, status, 0);
  }

 private:
  Status Folder(UniqueFd from,
                int parent,
                const std::string& name,
                const struct stat& status,
                std::size_t depth) {
    if (depth >= kTreeDepthMax)
      return Fail(ErrorCode::kLimitExceeded, "folders are nested more than 256 deep");
    if (mkdirat(parent, name.c_str(), 0700) != 0) return FailErrno("make folder " + name);
    const UniqueFd to(openat(parent, name.c_str(), kCopyFolderFlags));
    if (!to) return FailErrno("open folder " + name);
    const int from_fd = from.get();
    DIR* listing = fdopendir(from.release());
    if (listing == nullptr) {
      close(from_fd);
      return FailErrno("list folder " + name);
    }
    Status copied;
    while (const dirent* entry = readdir(listing)) {
      const std::string child = entry->d_name;
      if (child == "." || child == "..") continue;
      copied = Entry(from_fd, to.get(), child, depth);
      if (!copied) break;
    }
    if (copied)
      copied = CopyAttributes(DescriptorPath(from_fd) + "/.", DescriptorPath(to.get()) + "/.");
    closedir(listing);
    if (copied) copied = Finish(parent, name, status);
    return copied;
  }

  Status Entry(int from, int to, const std::string& name, std::size_t depth) {
    if (++entries_ > kTreeEntriesMax)
      return Fail(ErrorCode::kLimitExceeded, "there are more than 4,000,000 files");
    struct stat status {};
    if (fstatat(from, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return FailErrno("read " + name);
    if (S_ISDIR(status.st_mode)) {
      UniqueFd folder(openat(from, name.c_str(), kCopyFolderFlags));
      if (!folder) return FailErrno("open folder " + name);
      return Folder(std::move(folder), to, name, status, depth + 1);
    }
    if (status.st_nlink > 1 && LinkToEarlier(to, name, status)) return {};
    RETURN_IF_ERROR(MakeLeaf(from, to, name, status));
    RETURN_IF_ERROR(
        CopyAttributes(DescriptorPath(from) + "/" + name, DescriptorPath(to) + "/" + name));
    RETURN_IF_ERROR(Finish(to, name, status));
    if (status.st_nlink > 1) {
      if (UniqueFd made(openat(to, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
          made && linked_.size() < kLinksKept)
        linked_.emplace(std::pair(status.st_dev, status.st_ino), std::move(made));
    }
    return {};
  }

  bool LinkToEarlier(int to, const std::string& name, const struct stat& status) {
    const auto earlier = linked_.find(std::pair(status.st_dev, status.st_ino));
    return earlier != linked_.end() &&
           linkat(earlier->second.get(), "", to, name.c_str(), AT_EMPTY_PATH) == 0;
  }

  static Status MakeLeaf(int from, int to, const std::string& name, const struct stat& status) {
    if (S_ISREG(status.st_mode)) {
      const UniqueFd input(
          openat(from, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
      const UniqueFd output(
          openat(to, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
      if (!input || !output) return FailErrno("copy " + name);
      return CopyData(input.get(), output.get(), status.st_size);
    }
    if (S_ISLNK(status.st_mode)) {
      char target[PATH_MAX];
      const ssize_t size = readlinkat(from, name.c_str(), target, sizeof target - 1);
      if (size < 0) return FailErrno("read link " + name);
      target[size] = 0;
      if (symlinkat(target, to, name.c_str()) != 0) return FailErrno("make link " + name);
      return {};
    }
    // Whiteouts are character devices 0/0; sockets and pipes are made anew.
    if (mknodat(to, name.c_str(), status.st_mode, status.st_rdev) != 0)
      return FailErrno("make " + name);
    return {};
  }

  static Status Finish(int parent, const std::string& name, const struct stat& status) {
    if (fchownat(parent, name.c_str(), status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
      return FailErrno("give away " + name);
    if (!S_ISLNK(status.st_mode) && fchmodat(parent, name.c_str(), status.st_mode & 07777, 0) != 0)
      return FailErrno("set the mode of " + name);
    const timespec times[2] = {status.st_atim, status.st_mtim};
    if (utimensat(parent, name.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
      return FailErrno("set the time of " + name);
    return {};
  }

  static constexpr std::size_t kLinksKept = 4096;  // descriptors; further hard links become copies
  std::size_t entries_ = 0;
  std::map<std::pair<dev_t, ino_t>, UniqueFd> linked_;
};

}  // namespace

Status CopyTree(int source, int parent, const std::string& name) {
  return TreeCopier().Run(source, parent, name);
}

Status CopyTreeAtomically(int source, int parent, const std::string& name) {
  const std::string unfinished = std::string(kUnfinishedPrefix) + RandomHex(24);
  Status copied = CopyTree(source, parent, unfinished);
  if (copied && renameat2(parent, unfinished.c_str(), parent, name.c_str(), RENAME_NOREPLACE) != 0)
    copied = FailErrno("name " + name);
  if (!copied) (void)RemoveTree(parent, unfinished);
  return copied;
}

}  // namespace viv::storage
