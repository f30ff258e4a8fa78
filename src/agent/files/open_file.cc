#include "agent/files/open_file.h"

#include <fcntl.h>

namespace viv::agent {

FileResult<OpenedFile> OpenForReading(const std::string& path) {
  OpenedFile opened;
  if (::stat(path.c_str(), &opened.info) != 0) {
    if (errno == ENOENT) return FailFileWith(ENOENT, "path '" + path + "' does not exist");
    return FailFile(errno, "error checking if path exists '" + path + "'");
  }
  if (S_ISDIR(opened.info.st_mode))
    return FailFileWith(EISDIR, "path '" + path + "' is a directory");
  if (!S_ISREG(opened.info.st_mode)) {
    return FailFileWith(EINVAL, "path '" + path + "' is not a regular file");
  }
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  opened.file = UniqueFd(::open(path.c_str(), kFlags));
  if (!opened.file || ::fstat(opened.file.get(), &opened.info) != 0) {
    return FailFile(errno, "error opening file '" + path + "'");
  }
  if (!S_ISREG(opened.info.st_mode)) {
    return FailFileWith(EINVAL, "path '" + path + "' is not a regular file");
  }
  return opened;
}

}  // namespace viv::agent
