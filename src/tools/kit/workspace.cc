#include "tools/kit/workspace.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "base/errno_error.h"
#include "base/ids.h"
#include "base/text.h"

namespace viv::tools {
namespace {

struct Freer {
  void operator()(char* text) const { ::free(text); }
};

ErrorCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::kLimitExceeded;
    default:
      return ErrorCode::kInvalidArgument;
  }
}

tl::unexpected<Error> FailAt(int error, std::string_view path) {
  return FailErrno(CodeOf(error), path, error);
}

std::string WithoutDots(std::string_view path) {
  std::vector<std::string_view> kept;
  for (std::string_view part : Split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      kept.push_back(part);
    } else if (!kept.empty()) {
      kept.pop_back();
    }
  }
  std::string out;
  for (std::string_view part : kept) (out += '/') += part;
  return out.empty() ? "/" : out;
}

bool IsBelow(std::string_view path, std::string_view root) {
  return path == root || root == "/" ||
         (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/');
}

Result<std::string> FollowLinks(const std::string& absolute) {
  std::unique_ptr<char, Freer> real(::realpath(absolute.c_str(), nullptr));
  if (real == nullptr) return FailAt(errno, absolute);
  return std::string(real.get());
}

}  // namespace

Workspace::Workspace(std::string root) : root_(WithoutDots(root)), real_root_(root_) {
  if (auto real = FollowLinks(root_)) real_root_ = *real;
}

std::string Workspace::Absolute(std::string_view path) const {
  if (path == "~" || path.starts_with("~/")) {
    const char* home = ::getenv("HOME");
    return WithoutDots(std::string(home != nullptr ? home : "/") + std::string(path.substr(1)));
  }
  if (path.starts_with("/")) return WithoutDots(path);
  return WithoutDots(root_ + "/" + std::string(path));
}

bool Workspace::Contains(std::string_view absolute) const {
  return IsBelow(absolute, root_) || IsBelow(absolute, real_root_);
}

Result<std::string> Workspace::Real(std::string_view path) const {
  if (path.find('\0') != std::string_view::npos)
    return Fail(ErrorCode::kInvalidArgument, "a path cannot contain a NUL byte");
  const std::string absolute = Absolute(path);
  if (!Contains(absolute))
    return Fail(ErrorCode::kPermissionDenied, absolute + " is outside " + root_);
  ASSIGN_OR_RETURN(std::string real, FollowLinks(absolute));
  if (!IsBelow(real, real_root_))
    return Fail(ErrorCode::kPermissionDenied, absolute + " leads outside " + root_);
  return real;
}

Result<std::string> Workspace::RealForNew(std::string_view path) const {
  auto real = Real(path);
  if (real || real.error().code != ErrorCode::kNotFound) return real;
  const std::string absolute = Absolute(path);
  struct stat status {};
  if (::lstat(absolute.c_str(), &status) == 0) {
    if (!S_ISLNK(status.st_mode)) return Real(path);  // somebody has made it in the meantime
    // A link to nowhere would be followed by whoever creates the file.
    return Fail(ErrorCode::kPermissionDenied, absolute + " is a link that leads nowhere");
  }
  const std::size_t slash = absolute.rfind('/');
  ASSIGN_OR_RETURN(std::string folder, Real(slash == 0 ? "/" : absolute.substr(0, slash)));
  return (folder == "/" ? "" : folder) + absolute.substr(slash);
}

Result<UniqueFd> Workspace::Open(const std::string& real, int flags, mode_t mode) const {
  if (!IsBelow(real, real_root_))
    return Fail(ErrorCode::kPermissionDenied, real + " is outside " + root_);
  UniqueFd root(::open(real_root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return FailAt(errno, real_root_);
  std::string below = real.substr(real == real_root_ || real_root_ == "/" ? real_root_.size()
                                                                          : real_root_.size() + 1);
  if (below.empty()) below = ".";
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  if ((flags & O_CREAT) != 0) how.mode = mode;  // openat2 wants none otherwise
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd file(
      static_cast<int>(::syscall(SYS_openat2, root.get(), below.c_str(), &how, sizeof how)));
  if (!file) return FailAt(errno, real);
  return file;
}

Result<std::string> ReadAll(int fd, std::size_t bytes_max) {
  std::string bytes;
  struct stat status {};
  if (::fstat(fd, &status) == 0 && status.st_size > 0) {
    if (static_cast<std::uint64_t>(status.st_size) > bytes_max)
      return Fail(ErrorCode::kLimitExceeded,
                  "the file is larger than " + std::to_string(bytes_max >> 20) + " MiB");
    bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  char buffer[64 << 10];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailAt(errno, "read");
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
    if (bytes.size() > bytes_max)
      return Fail(ErrorCode::kLimitExceeded,
                  "the file is larger than " + std::to_string(bytes_max >> 20) + " MiB");
  }
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FailAt(errno, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status ReplaceFile(const Workspace& workspace, const std::string& real, std::string_view bytes) {
  const std::size_t slash = real.rfind('/');
  const std::string name = real.substr(slash + 1);
  if (name.empty()) return FailAt(EISDIR, real);
  ASSIGN_OR_RETURN(UniqueFd folder, workspace.Open(slash == 0 ? "/" : real.substr(0, slash),
                                                   O_RDONLY | O_DIRECTORY));
  struct stat status {};
  const bool exists = ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISDIR(status.st_mode)) return FailAt(EISDIR, real);
  const std::string fresh = ".viv-" + RandomHex(12);
  UniqueFd file(::openat(folder.get(), fresh.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) return FailAt(errno, real);
  Status done = WriteAll(file.get(), bytes);
  if (done && exists && ::fchmod(file.get(), status.st_mode & 07777) != 0)
    done = FailAt(errno, real);
  if (done && ::renameat(folder.get(), fresh.c_str(), folder.get(), name.c_str()) != 0)
    done = FailAt(errno, real);
  if (!done) ::unlinkat(folder.get(), fresh.c_str(), 0);
  return done;
}

std::string NodeErrorText(int error, std::string_view call, std::string_view path) {
  struct Known {
    int error;
    const char* name;
    const char* text;
  };
  static constexpr Known kKnown[] = {{ENOENT, "ENOENT", "no such file or directory"},
                                     {ENOTDIR, "ENOTDIR", "not a directory"},
                                     {EISDIR, "EISDIR", "illegal operation on a directory"},
                                     {EEXIST, "EEXIST", "file already exists"},
                                     {EACCES, "EACCES", "permission denied"},
                                     {EPERM, "EPERM", "operation not permitted"},
                                     {ENOTEMPTY, "ENOTEMPTY", "directory not empty"},
                                     {ENOSPC, "ENOSPC", "no space left on device"},
                                     {EROFS, "EROFS", "read-only file system"},
                                     {ELOOP, "ELOOP", "too many symbolic links encountered"},
                                     {ENAMETOOLONG, "ENAMETOOLONG", "name too long"},
                                     {EXDEV, "EXDEV", "cross-device link not permitted"},
                                     {EMFILE, "EMFILE", "too many open files"},
                                     {EINVAL, "EINVAL", "invalid argument"}};
  std::string text = std::string("EIO: ") + std::strerror(error);
  for (const Known& known : kKnown)
    if (known.error == error) text = std::string(known.name) + ": " + known.text;
  return text + ", " + std::string(call) + " '" + std::string(path) + "'";
}

}  // namespace viv::tools
