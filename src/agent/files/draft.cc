#include "agent/files/draft.h"

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

std::string DraftName(bool replaces) {
  return std::string(replaces ? kReplacingDraftPrefix : kDraftPrefix) + RandomHex(16);
}

Draft::Draft(Draft&& other) noexcept
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

Draft::~Draft() {
  // As root, for it may have got another owner; the folder is one where the user could create it.
  if (!temporary_.empty()) ::unlinkat(folder_.get(), temporary_.c_str(), 0);
}

Outcome<Draft> Draft::Open(const User& user, Rights rights, const std::string& path) {
  return ActAs(user, rights, [&]() -> Outcome<Draft> { return OpenAsUser(user, rights, path); });
}

Outcome<Draft> Draft::OpenAsUser(const User& user, Rights rights, const std::string& path) {
  Draft draft;
  draft.user_ = user;
  draft.rights_ = rights;
  if (path.ends_with('/')) return Refused(EISDIR, "path is a directory: " + path);
  Sys<std::string> followed = FollowLastLinks(path);
  if (!followed) return Failed(followed.error(), "error getting file info: stat " + path);
  draft.path_ = *std::move(followed);
  draft.name_ = BaseOf(draft.path_);
  std::string folder = ParentOf(draft.path_);
  if (Outcome<void> ensured = EnsureFolders(folder); !ensured) {
    return Because(ensured.error(), "error ensuring directories");
  }
  draft.folder_ = UniqueFd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!draft.folder_) return Failed(errno, "error opening file: open " + folder);
  if (Outcome<void> looked = draft.LookAtDestination(); !looked) {
    return tl::unexpected<Trouble>(looked.error());
  }
  if (Outcome<void> created = draft.CreateTemporary(); !created) {
    return tl::unexpected<Trouble>(created.error());
  }
  return draft;
}

Outcome<void> Draft::LookAtDestination() {
  struct stat info {};
  if (::fstatat(folder_.get(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return {};
    return Failed(errno, "error getting file info: stat " + path_);
  }
  if (S_ISDIR(info.st_mode)) return Refused(EISDIR, "path is a directory: " + path_);
  if (!S_ISREG(info.st_mode)) return Refused(EINVAL, "path is not a regular file: " + path_);
  // Opening it is how the kernel is asked whether the user may write to it; O_NONBLOCK in case it
  // has become a pipe since.
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  existing_ = UniqueFd(::openat(folder_.get(), name_.c_str(), kFlags));
  if (!existing_ || ::fstat(existing_.get(), &before_) != 0) {
    return Failed(errno, "error opening file '" + path_ + "'");
  }
  if (!S_ISREG(before_.st_mode)) return Refused(EINVAL, "path is not a regular file: " + path_);
  return {};
}

Outcome<void> Draft::CreateTemporary() {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  if (!existing_ || before_.st_nlink == 1) {
    temporary_ = DraftName(bool(existing_));
    file_ = UniqueFd(::openat(folder_.get(), temporary_.c_str(), kFlags, 0600));
    if (file_) return {};
    temporary_.clear();
    int code = errno;
    if (code == ENOSPC || code == EDQUOT) {
      return Refused(code, "not enough inodes available: " + ErrnoText(code));
    }
    if (!existing_ || !ForbidsReplacing(code)) {
      return Failed(code, "error opening file '" + path_ + "'");
    }
  }
  // It has no name any more, so it vanishes with its descriptor.
  std::string spill = JoinPath(kSpillFolder, DraftName(false));
  file_ = UniqueFd(::open(spill.c_str(), kFlags, 0600));
  if (!file_) return Failed(errno, "error opening file: open " + spill);
  ::unlink(spill.c_str());
  return {};
}

Outcome<void> Draft::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (errno == ENOSPC || errno == EDQUOT) {
        return Refused(errno, "not enough disk space available");
      }
      return Failed(errno, "error writing file: write " + path_);
    }
    bytes.remove_prefix(written);
    size_ += written;
  }
  return {};
}

Task<Outcome<void>> Draft::CopyFrom(int file) {
  std::uint64_t copied = 0;
  Outcome<void> done = co_await CopyContent(file, file_.get(), copied);
  size_ += copied;
  co_return done;
}

Task<Outcome<void>> Draft::Commit(Metadata metadata) {
  if (!temporary_.empty()) {
    Outcome<void> given = GiveAttributes(metadata);
    if (!given) co_return given;
    Outcome<bool> renamed = Rename();
    if (!renamed) co_return tl::unexpected<Trouble>(renamed.error());
    if (*renamed) co_return Outcome<void>();
  }
  Outcome<void> written = co_await WriteInPlace();
  if (written) written = GiveOwner(existing_.get());
  if (!written) co_return written;
  co_return Note(existing_.get(), metadata);
}

Outcome<void> Draft::Note(int file, const Metadata& metadata) const {
  Sys<void> noted = ActAs(user_, rights_, [&] { return ReplaceMetadata(file, metadata); });
  if (noted) return {};
  if (noted.error() == ENOSPC || noted.error() == EDQUOT) {
    return Refused(noted.error(), "not enough space for file metadata");
  }
  return Failed(noted.error(), "error writing file metadata");
}

// As root: the user who may write to a file of another cannot give files to that one.
Outcome<void> Draft::GiveOwner(int file) const {
  const bool keeps = existing_ && rights_ == Rights::kOwn;
  const uid_t uid = keeps ? before_.st_uid : user_.uid;
  const gid_t gid = keeps ? before_.st_gid : user_.gid;
  struct stat info {};
  if (::fstat(file, &info) == 0 && info.st_uid == uid && info.st_gid == gid) return {};
  if (::fchown(file, uid, gid) == 0) return {};
  return Failed(errno, "error changing file ownership: chown " + path_);
}

Outcome<void> Draft::GiveAttributes(const Metadata& metadata) {
  if (Outcome<void> noted = Note(file_.get(), metadata); !noted) return noted;
  if (Outcome<void> given = GiveOwner(file_.get()); !given) return given;
  // Writing takes the set-uid bits away, so they are not passed on.
  mode_t mode = existing_ ? before_.st_mode & 0777 : kNewFileMode;
  if (::fchmod(file_.get(), mode) != 0) return Failed(errno, "error writing file: chmod " + path_);
  return {};
}

// Whether it is in place; if not, the existing file is to be written.
Outcome<bool> Draft::Rename() {
  Sys<void> renamed = ActAs(user_, rights_, [this]() -> Sys<void> {
    int at = folder_.get();
    if (::renameat(at, temporary_.c_str(), at, name_.c_str()) != 0) return SysFail();
    return {};
  });
  if (!renamed) {
    if (existing_ && ForbidsReplacing(renamed.error())) return false;
    if (renamed.error() == EISDIR) return Refused(EISDIR, "path is a directory: " + path_);
    return Failed(renamed.error(), "error writing file: rename " + path_);
  }
  temporary_.clear();
  // Changes nothing, but tells watchers under the file's own name that it was written.
  static_cast<void>(::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0);
  return true;
}

Task<Outcome<void>> Draft::WriteInPlace() {
  if (::lseek(file_.get(), 0, SEEK_SET) != 0 || ::ftruncate(existing_.get(), 0) != 0) {
    co_return Failed(errno, "error writing file: truncate " + path_);
  }
  std::uint64_t copied = 0;
  Outcome<void> done = co_await CopyContent(file_.get(), existing_.get(), copied);
  co_return done;
}

}  // namespace viv::agent
