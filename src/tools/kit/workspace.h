#pragma once
// Paths that an agent gives, kept within the workspace. A path is made absolute, its links are
// followed, and the result must lie inside; it is then opened without following any link, so that
// a link which appears in between leads nowhere.

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::tools {

class Workspace {
 public:
  explicit Workspace(std::string root);

  const std::string& root() const { return root_; }
  const std::string& real_root() const { return real_root_; }  // its links followed

  // Absolute and normalised ("..", "." and double slashes gone) but with its links; `~` is the
  // home.
  std::string Absolute(std::string_view path) const;
  bool Contains(std::string_view absolute) const;  // by its spelling alone

  // Where the path really leads. kPermissionDenied when that is outside, kNotFound when a part of
  // it is missing (errno's text in the message), kInvalidArgument for a path with a NUL byte.
  Result<std::string> Real(std::string_view path) const;
  // The same for a file that may not be there yet: its folder must be.
  Result<std::string> RealForNew(std::string_view path) const;

  // Opens a path that Real or RealForNew gave; no link is followed any more.
  Result<UniqueFd> Open(const std::string& real, int flags, mode_t mode = 0666) const;

 private:
  std::string root_, real_root_;
};

// The whole of a regular file, up to `bytes_max`: kLimitExceeded beyond.
Result<std::string> ReadAll(int fd, std::size_t bytes_max);
Status WriteAll(int fd, std::string_view bytes);
// Through a new file beside it that is renamed over it, so that a reader sees all or nothing and a
// full disk loses nothing. Keeps the mode of what was there.
Status ReplaceFile(const Workspace& workspace, const std::string& real, std::string_view bytes);

// As Node says it: "ENOENT: no such file or directory, open '/data/x'".
std::string NodeErrorText(int error, std::string_view call, std::string_view path);

}  // namespace viv::tools
