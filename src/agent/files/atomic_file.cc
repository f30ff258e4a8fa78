#include "agent/files/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/files/file_copy.h"
#include "agent/files/paths.h"
#include "base/ids.h"

namespace viv::agent {
namespace {

constexpr mode_t kNewFileMode = 0644;
constexpr char kSpillFolder[] = "/tmp";

// Reasons why a file that may be written cannot be replaced: it is a mount, its folder is sticky or
// not the user's, or the temporary lies elsewhere.
bool ForbidsReplacing(int code) {
  return code == EBUSY || code == EPERM || code == EACCES || code == EROFS || code == EXDEV;
}

}  // namespace

std::string TemporaryName(bool replaces) {
  return std::string(replaces ? kReplacingTemporaryPrefix : kTemporaryPrefix) + RandomHex(16);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : user_(std::move(other.user_)),
      rights_(other.rights_),
      path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      folder_(std::move(other.folder_)),
      existing_(std::move(other.existing_)),
      before_(other.before_),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)),
      size_(other.size_) {}

AtomicFile::~AtomicFile() {
  // As root, for it may have got another owner; the folder is one where the user could create it.
  if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

FileResult<AtomicFile> AtomicFile::Open(const User& user, Rights rights, const std::string& path) {
  return RunWithFsUser(user, rights,
                       [&]() -> FileResult<AtomicFile> { return OpenAsUser(user, rights, path); });
}

FileResult<AtomicFile> AtomicFile::OpenAsUser(const User& user,
                                              Rights rights,
                                              const std::string& path) {
  AtomicFile output;
  output.user_ = user;
  output.rights_ = rights;
  if (path.ends_with('/')) return FailFileWith(EISDIR, "path is a directory: " + path);
  ErrnoOr<std::string> followed = FollowLastLinks(path);
  if (!followed) return FailFile(followed.error(), "error getting file info: stat " + path);
  output.path_ = *std::move(followed);
  output.name_ = BaseOf(output.path_);
  std::string folder = ParentOf(output.path_);
  if (FileResult<void> ensured = EnsureFolders(folder); !ensured) {
    return AddContext(ensured.error(), "error ensuring directories");
  }
  output.folder_ = UniqueFd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!output.folder_) return FailFile(errno, "error opening file: open " + folder);
  if (FileResult<void> looked = output.InspectDestination(); !looked) {
    return tl::unexpected<FileError>(looked.error());
  }
  if (FileResult<void> created = output.CreateTemporary(); !created) {
    return tl::unexpected<FileError>(created.error());
  }
  return output;
}

FileResult<void> AtomicFile::InspectDestination() {
  struct stat info {};
  if (::fstatat(folder_.get(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return FailFile(errno, "error getting file info: stat " + path_);
  }
  if (S_ISDIR(info.st_mode)) return FailFileWith(EISDIR, "path is a directory: " + path_);
  if (!S_ISREG(info.st_mode)) return FailFileWith(EINVAL, "path is not a regular file: " + path_);
  // Opening it is how the kernel is asked whether the user may write to it; O_NONBLOCK in case it
  // has become a pipe since.
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  existing_ = UniqueFd(::openat(folder_.get(), name_.c_str(), kFlags));
  if (!existing_ || ::fstat(existing_.get(), &before_) != 0) {
    return FailFile(errno, "error opening file '" + path_ + "'");
  }
  if (!S_ISREG(before_.st_mode))
    return FailFileWith(EINVAL, "path is not a regular file: " + path_);
  return {};
}

FileResult<void> AtomicFile::CreateTemporary() {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  if (!existing_ || before_.st_nlink == 1) {
    temporary_ = TemporaryName(bool(existing_));
    file_ = UniqueFd(::openat(folder_.get(), temporary_.c_str(), kFlags, 0600));
    if (file_) return {};
    temporary_.clear();
    int code = errno;
    if (code == ENOSPC || code == EDQUOT) {
      return FailFileWith(code, "not enough inodes available: " + ErrnoText(code));
    }
    if (!existing_ || !ForbidsReplacing(code)) {
      return FailFile(code, "error opening file '" + path_ + "'");
    }
  }
  // It is unlinked at once, so that it ends with its descriptor.
  std::string spill = JoinPath(kSpillFolder, TemporaryName(false));
  file_ = UniqueFd(::open(spill.c_str(), kFlags, 0600));
  if (!file_) return FailFile(errno, "error opening file: open " + spill);
  ::unlink(spill.c_str());
  return {};
}

FileResult<void> AtomicFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (errno == ENOSPC || errno == EDQUOT) {
        return FailFileWith(errno, "not enough disk space available");
      }
      return FailFile(errno, "error writing file: write " + path_);
    }
    bytes.remove_prefix(written);
    size_ += written;
  }
  return {};
}

Task<FileResult<void>> AtomicFile::CopyFrom(int file) {
  std::uint64_t copied = 0;
  FileResult<void> done = co_await CopyContent(file, file_.get(), copied);
  size_ += copied;
  co_return done;
}

Task<FileResult<void>> AtomicFile::Commit(Metadata metadata) {
  if (!temporary_.empty()) {
    FileResult<void> given = SetAttributes(metadata);
    if (!given) co_return given;
    FileResult<bool> renamed = Rename();
    if (!renamed) co_return tl::unexpected<FileError>(renamed.error());
    if (*renamed) co_return FileResult<void>();
  }
  FileResult<void> written = co_await WriteInPlace();
  if (written) written = SetOwner(existing_.get());
  if (!written) co_return written;
  co_return StoreMetadata(existing_.get(), metadata);
}

FileResult<void> AtomicFile::StoreMetadata(int file, const Metadata& metadata) const {
  ErrnoOr<void> stored =
      RunWithFsUser(user_, rights_, [&] { return ReplaceMetadata(file, metadata); });
  if (stored) return {};
  if (stored.error() == ENOSPC || stored.error() == EDQUOT) {
    return FailFileWith(stored.error(), "not enough space for file metadata");
  }
  return FailFile(stored.error(), "error writing file metadata");
}

// As root: the user who may write to a file of another cannot give files to that one.
FileResult<void> AtomicFile::SetOwner(int file) const {
  const bool keeps = existing_ && rights_ == Rights::kOwn;
  const uid_t uid = keeps ? before_.st_uid : user_.uid;
  const gid_t gid = keeps ? before_.st_gid : user_.gid;
  struct stat info {};
  if (::fstat(file, &info) == 0 && info.st_uid == uid && info.st_gid == gid) return {};
  if (::fchown(file, uid, gid) == 0) return {};
  return FailFile(errno, "error changing file ownership: chown " + path_);
}

FileResult<void> AtomicFile::SetAttributes(const Metadata& metadata) {
  if (FileResult<void> stored = StoreMetadata(file_.get(), metadata); !stored) return stored;
  if (FileResult<void> given = SetOwner(file_.get()); !given) return given;
  // Writing takes the set-uid bits away, so they are not passed on.
  mode_t mode = existing_ ? before_.st_mode & 0777 : kNewFileMode;
  if (::fchmod(file_.get(), mode) != 0)
    return FailFile(errno, "error writing file: chmod " + path_);
  return {};
}

// Whether it is in place; if not, the existing file is to be written.
FileResult<bool> AtomicFile::Rename() {
  ErrnoOr<void> renamed = RunWithFsUser(user_, rights_, [this]() -> ErrnoOr<void> {
    int at = folder_.get();
    if (::renameat(at, temporary_.c_str(), at, name_.c_str()) != 0) return FailWithErrno();
    return {};
  });
  if (!renamed) {
    if (existing_ && ForbidsReplacing(renamed.error())) return false;
    if (renamed.error() == EISDIR) return FailFileWith(EISDIR, "path is a directory: " + path_);
    return FailFile(renamed.error(), "error writing file: rename " + path_);
  }
  temporary_.clear();
  // Changes nothing, but tells watchers under the file's own name that it was written.
  static_cast<void>(::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0);
  return true;
}

Task<FileResult<void>> AtomicFile::WriteInPlace() {
  if (::lseek(file_.get(), 0, SEEK_SET) != 0 || ::ftruncate(existing_.get(), 0) != 0) {
    co_return FailFile(errno, "error writing file: truncate " + path_);
  }
  std::uint64_t copied = 0;
  FileResult<void> done = co_await CopyContent(file_.get(), existing_.get(), copied);
  co_return done;
}

}  // namespace viv::agent
