#include "agent/files/copy_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/files/file_copy.h"
#include "agent/files/fs_user.h"
#include "agent/files/list_folder.h"
#include "agent/files/paths.h"
#include "agent/files/yield.h"
#include "base/unique_fd.h"

namespace viv::agent {
namespace {

constexpr std::size_t kCopiesPerBatch = 64;
constexpr std::size_t kCopyJobsMax = 500'000;  // waiting at one time
constexpr std::size_t kCopiedAttributesBytesMax = 64 * 1024;

// What the user may not give stays as it was created: the content is what counts.
void KeepOwnerModeTimes(int file, const struct stat& info) {
  static_cast<void>(::fchown(file, info.st_uid, info.st_gid) == 0);
  static_cast<void>(::fchmod(file, info.st_mode & 01777) == 0);
  struct timespec times[2] = {info.st_atim, info.st_mtim};
  static_cast<void>(::futimens(file, times) == 0);
}

void KeepAttributes(int from, int to) {
  std::vector<char> list(kCopiedAttributesBytesMax);
  std::vector<char> value(kCopiedAttributesBytesMax);
  ssize_t length = ::flistxattr(from, list.data(), list.size());
  std::string_view names(list.data(), std::max<ssize_t>(length, 0));
  while (!names.empty()) {
    std::string name(names.substr(0, names.find('\0')));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    if (!name.starts_with("user.")) continue;
    ssize_t size = ::fgetxattr(from, name.c_str(), value.data(), value.size());
    if (size < 0) continue;
    static_cast<void>(::fsetxattr(to, name.c_str(), value.data(), size, 0) == 0);
  }
}

struct CopyJob {
  std::string from;
  std::string to;
  bool finish_folder = false;  // its content is there: give it its mode and times
};

struct FileJob {
  UniqueFd from;
  UniqueFd to;
  struct stat info {};
};

// To be called as the user.
class TreeCopy {
 public:
  TreeCopy(std::string from, std::string to) { jobs_.push_back({std::move(from), std::move(to)}); }

  bool done() const { return jobs_.empty(); }
  // One entry; a file's content is left to the caller.
  FileResult<std::optional<FileJob>> Step();
  static void Finish(const FileJob& job) {
    KeepAttributes(job.from.get(), job.to.get());
    KeepOwnerModeTimes(job.to.get(), job.info);
  }

 private:
  static FileResult<FileJob> OpenFile(const CopyJob& job);
  FileResult<void> CopyFolder(const CopyJob& job);
  static void FinishFolder(const CopyJob& job);
  static FileResult<void> CopyLink(const CopyJob& job, const struct stat& info);

  std::vector<CopyJob> jobs_;
};

FileResult<std::optional<FileJob>> TreeCopy::Step() {
  CopyJob job = std::move(jobs_.back());
  jobs_.pop_back();
  if (job.finish_folder) {
    FinishFolder(job);
    return std::nullopt;
  }
  struct stat info {};
  if (::lstat(job.from.c_str(), &info) != 0) return FailFile(errno, "lstat " + job.from);
  if (S_ISREG(info.st_mode)) {
    FileResult<FileJob> file = OpenFile(job);
    if (!file) return tl::unexpected<FileError>(file.error());
    return *std::move(file);
  }
  FileResult<void> copied;
  if (S_ISDIR(info.st_mode)) {
    copied = CopyFolder(job);
  } else if (S_ISLNK(info.st_mode)) {
    copied = CopyLink(job, info);
  } else if (S_ISFIFO(info.st_mode) && ::mkfifo(job.to.c_str(), info.st_mode & 0777) != 0) {
    copied = FailFile(errno, "mkfifo " + job.to);
  } else if (!S_ISFIFO(info.st_mode)) {
    copied = FailFileWith(EXDEV, job.from + " is a device or socket, which cannot be moved");
  }
  if (!copied) return tl::unexpected<FileError>(copied.error());
  return std::nullopt;
}

FileResult<FileJob> TreeCopy::OpenFile(const CopyJob& job) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  FileJob file;
  file.from = UniqueFd(::open(job.from.c_str(), kFlags));
  if (!file.from || ::fstat(file.from.get(), &file.info) != 0) {
    return FailFile(errno, "open " + job.from);
  }
  if (!S_ISREG(file.info.st_mode)) return FailFile(ESTALE, "open " + job.from);
  file.to = UniqueFd(::open(job.to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.to) return FailFile(errno, "open " + job.to);
  return file;
}

FileResult<void> TreeCopy::CopyFolder(const CopyJob& job) {
  ErrnoOr<FolderHandle> folder = OpenFolder(job.from);
  if (!folder) return FailFile(folder.error(), "open " + job.from);
  if (::mkdir(job.to.c_str(), 0700) != 0) return FailFile(errno, "mkdir " + job.to);
  CopyJob finish = job;
  finish.finish_folder = true;
  jobs_.push_back(std::move(finish));
  while (const dirent* found = ::readdir(folder->get())) {
    if (IsDotEntry(found->d_name)) continue;
    if (jobs_.size() >= kCopyJobsMax) return FailFile(E2BIG, "read " + job.from);
    jobs_.push_back({JoinPath(job.from, found->d_name), JoinPath(job.to, found->d_name)});
  }
  return {};
}

void TreeCopy::FinishFolder(const CopyJob& job) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd from(::open(job.from.c_str(), kFlags));
  UniqueFd to(::open(job.to.c_str(), kFlags));
  struct stat info {};
  if (!from || !to || ::fstat(from.get(), &info) != 0) return;
  KeepAttributes(from.get(), to.get());
  KeepOwnerModeTimes(to.get(), info);
}

FileResult<void> TreeCopy::CopyLink(const CopyJob& job, const struct stat& info) {
  char target[PATH_MAX];
  ssize_t length = ::readlink(job.from.c_str(), target, sizeof target - 1);
  if (length < 0) return FailFile(errno, "readlink " + job.from);
  target[length] = '\0';
  if (::symlink(target, job.to.c_str()) != 0) return FailFile(errno, "symlink " + job.to);
  static_cast<void>(::lchown(job.to.c_str(), info.st_uid, info.st_gid) == 0);
  return {};
}

Task<FileResult<void>> CopyFile(const User& user, FileJob file) {
  std::uint64_t copied = 0;
  FileResult<void> done = co_await CopyContent(file.from.get(), file.to.get(), copied);
  if (!done) co_return done;
  co_return RunAsUserWithRootCapabilities(user, [&]() -> FileResult<void> {
    TreeCopy::Finish(file);
    return {};
  });
}

}  // namespace

Task<FileResult<void>> CopyTree(User user, std::string from, std::string to) {
  TreeCopy copy(std::move(from), std::move(to));
  for (std::size_t steps = 1; !copy.done(); ++steps) {
    FileResult<std::optional<FileJob>> step =
        RunAsUserWithRootCapabilities(user, [&] { return copy.Step(); });
    if (!step) co_return tl::unexpected<FileError>(step.error());
    if (step->has_value()) {
      FileJob file = std::move(**step);
      FileResult<void> copied = co_await CopyFile(user, std::move(file));
      if (!copied) co_return copied;
    }
    if (steps % kCopiesPerBatch == 0) co_await Yield();
  }
  co_return FileResult<void>();
}

}  // namespace viv::agent
