#pragma once
// A regular file opened for reading, with what the kernel says of it.

#include <sys/stat.h>

#include <string>

#include "agent/files/file_result.h"
#include "base/unique_fd.h"

namespace viv::agent {

struct OpenedFile {
  UniqueFd file;
  struct stat info {};
};

// To be called as the user. Nothing here waits: a pipe or device is refused (EINVAL), not opened; a
// folder is EISDIR.
FileResult<OpenedFile> OpenForReading(const std::string& path);

}  // namespace viv::agent
