#include "agent/files/paths.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"

namespace viv::agent {
namespace {

constexpr int kLinksMax = 40;  // as many as the kernel follows

std::string_view WithoutTrailingSlashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

// The length of the UTF-8 sequence at the front; 0 when there is none.
std::size_t Utf8Length(std::string_view bytes) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, bytes.size()); ++length) {
    if (IsValidUtf8(bytes.substr(0, length))) return length;
  }
  return 0;
}

FileResult<void> MakeFolder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) != 0) {
    if (errno == EEXIST) return {};  // another process created it meanwhile
    return FailFile(errno, "failed to create directory: mkdir " + folder);
  }
  ::chmod(folder.c_str(), 0755);  // whatever the agent's umask is
  return {};
}

}  // namespace

std::string BaseOf(std::string_view path) {
  path = WithoutTrailingSlashes(path);
  if (path.empty()) return ".";
  if (path == "/") return "/";
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string ParentOf(std::string_view path) {
  path = WithoutTrailingSlashes(path);
  std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  if (slash == 0) return "/";
  return std::string(WithoutTrailingSlashes(path.substr(0, slash)));
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.ends_with('/') && !path.empty()) path += '/';
  return path.append(name);
}

std::string ValidUtf8(std::string_view bytes) {
  if (IsValidUtf8(bytes)) return std::string(bytes);
  std::string text;
  while (!bytes.empty()) {
    std::size_t length = Utf8Length(bytes);
    text.append(length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, length));
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

FileResult<std::string> ResolveGivenPath(const Context& context,
                                         const User& user,
                                         std::string_view path) {
  if (path.find('\0') != std::string_view::npos) {
    return FailFileWith(EINVAL, "error resolving path: it contains a zero byte");
  }
  if (path.size() >= PATH_MAX) {
    return FailFileWith(ENAMETOOLONG, "error resolving path: " + ErrnoText(ENAMETOOLONG));
  }
  return ResolvePath(context, user, path);
}

ErrnoOr<std::string> FollowLastLinks(std::string path) {
  for (int links = 0; links < kLinksMax; ++links) {
    char target[PATH_MAX];
    ssize_t length = ::readlink(path.c_str(), target, sizeof target);
    if (length < 0) return path;  // no link, or nothing there
    if (static_cast<std::size_t>(length) >= sizeof target) return FailWithErrno(ENAMETOOLONG);
    std::string_view next(target, length);
    path = next.starts_with('/') ? std::string(next) : JoinPath(ParentOf(path), next);
  }
  return FailWithErrno(ELOOP);
}

FileResult<void> EnsureFolders(const std::string& folder) {
  struct stat info {};
  if (::stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  for (std::size_t at = 1; at <= folder.size(); ++at) {
    at = std::min(folder.find('/', at), folder.size());
    std::string part = folder.substr(0, at);
    if (::stat(part.c_str(), &info) == 0) {
      if (!S_ISDIR(info.st_mode)) return FailFileWith(ENOTDIR, "path is a file: " + part);
      continue;
    }
    if (errno != ENOENT) return FailFile(errno, "failed to stat directory: stat " + part);
    if (FileResult<void> made = MakeFolder(part); !made) return made;
  }
  return {};
}

}  // namespace viv::agent
