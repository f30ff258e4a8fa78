#include "tools/desktop_commander/allowed_folders.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/text.h"

namespace viv::tools::commander {
namespace {

constexpr std::size_t kPathBytesMax = 4096;

// Workspace says what is wrong in its own words; this asks the kernel once more for the number.
int WhyMissing(const std::string& absolute) {
  struct stat status {};
  return ::stat(absolute.c_str(), &status) == 0 ? EACCES : errno;
}

std::string ParentOf(const std::string& absolute) {
  const std::size_t slash = absolute.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : absolute.substr(0, slash);
}

}  // namespace

Error AllowedFolders::Refusal(std::string_view path) const {
  std::string text =
      "Path not allowed: " + std::string(path) + ". Must be within one of these directories: ";
  std::string_view between;
  for (const std::string& directory : config_.AllowedDirectories()) {
    (text += between) += directory;
    between = ", ";
  }
  return {ErrorCode::kPermissionDenied, std::move(text)};
}

Result<Workspace> AllowedFolders::DirectoryOf(std::string_view path) const {
  if (path.find('\0') != std::string_view::npos)
    return Fail(ErrorCode::kInvalidArgument, "The path must not contain a NUL byte");
  if (path.size() > kPathBytesMax)
    return Fail(ErrorCode::kInvalidArgument,
                "ENAMETOOLONG: name too long, open '" + std::string(path.substr(0, 64)) + "…'");
  const std::string absolute = Absolute(path);
  for (const std::string& allowed : config_.AllowedDirectories()) {
    Workspace directory(Absolute(allowed));
    if (directory.Contains(absolute)) return directory;
  }
  return tl::unexpected(Refusal(path));
}

Result<AllowedPath> AllowedFolders::Existing(std::string_view path, std::string_view call) const {
  ASSIGN_OR_RETURN(Workspace directory, DirectoryOf(path));
  const std::string absolute = Absolute(path);
  auto real = directory.Real(absolute);
  if (real) return AllowedPath{std::move(directory), *std::move(real)};
  if (real.error().code == ErrorCode::kPermissionDenied) return tl::unexpected(Refusal(path));
  return Fail(real.error().code, NodeErrorText(WhyMissing(absolute), call, absolute));
}

Result<AllowedPath> AllowedFolders::ForNew(std::string_view path, std::string_view call) const {
  ASSIGN_OR_RETURN(Workspace directory, DirectoryOf(path));
  const std::string absolute = Absolute(path);
  auto real = directory.RealForNew(absolute);
  if (real) return AllowedPath{std::move(directory), *std::move(real)};
  if (real.error().code == ErrorCode::kPermissionDenied) return tl::unexpected(Refusal(path));
  return Fail(real.error().code, NodeErrorText(WhyMissing(ParentOf(absolute)), call, absolute));
}

Status AllowedFolders::MakeFolder(std::string_view path) const {
  const std::string absolute = Absolute(path);
  std::vector<std::string> missing;  // the deepest first
  for (std::string folder = absolute; folder != "/"; folder = ParentOf(folder)) {
    auto allowed = Existing(folder, "mkdir");
    if (!allowed && allowed.error().code != ErrorCode::kNotFound) {
      // A folder above the allowed directories need not be allowed itself.
      if (missing.empty() || allowed.error().code != ErrorCode::kPermissionDenied)
        return PassUp(allowed.error());
      break;
    }
    if (allowed) {
      struct stat status {};
      ASSIGN_OR_RETURN(UniqueFd fd, OpenAllowed(*allowed, O_PATH, "mkdir"));
      if (::fstat(fd.get(), &status) == 0 && !S_ISDIR(status.st_mode))
        return Fail(ErrorCode::kInvalidArgument,
                    NodeErrorText(missing.empty() ? EEXIST : ENOTDIR, "mkdir", absolute));
      break;
    }
    missing.push_back(folder);
  }
  for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
    ASSIGN_OR_RETURN(AllowedPath allowed, ForNew(*folder, "mkdir"));
    AllowedPath parent{allowed.directory, ParentOf(allowed.real)};
    ASSIGN_OR_RETURN(UniqueFd fd, OpenAllowed(parent, O_PATH | O_DIRECTORY, "mkdir"));
    const std::string name = allowed.real.substr(allowed.real.rfind('/') + 1);
    if (::mkdirat(fd.get(), name.c_str(), 0777) != 0 && errno != EEXIST)
      return Fail(ErrorCode::kUnavailable, NodeErrorText(errno, "mkdir", absolute));
  }
  return {};
}

Result<UniqueFd> OpenAllowed(const AllowedPath& allowed, int flags, std::string_view call) {
  errno = 0;
  auto file = allowed.directory.Open(allowed.real, flags);
  // Nothing that Open does after the failed system call sets errno again.
  const int error = errno != 0 ? errno : EIO;
  if (!file) return Fail(file.error().code, NodeErrorText(error, call, allowed.real));
  return file;
}

Result<UniqueFd> OpenFile(const AllowedPath& allowed, std::string_view call) {
  ASSIGN_OR_RETURN(UniqueFd file, OpenAllowed(allowed, O_RDONLY | O_NONBLOCK | O_NOCTTY, call));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, "Path provided was not a file!");
  return file;
}

}  // namespace viv::tools::commander
