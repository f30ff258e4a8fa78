#pragma once
// Starts git on one repository in a confined process. When the server is root, git runs as nobody
// in a mount namespace of its own, in which the repository is mounted at a path that the user
// nobody may reach, while the data folder around it stays inaccessible. Otherwise it runs as the
// server's user. Either way: limits on memory, time, files and processes, no descriptors but its
// three, a session of its own, and it dies with the thread that started it.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::git {

// The user that git runs as and that owns the repositories.
struct GitUser {
  bool confined = false;  // the server is root
  uid_t uid = 0;
  gid_t gid = 0;
};
GitUser CurrentGitUser();

// The path by which git sees the repository in `folder`.
std::string GitMountPointOf(const std::string& folder);

struct GitSpawnRequest {
  std::string folder;                    // the repository
  std::vector<std::string> arguments;    // "upload-pack", …
  std::vector<std::string> environment;  // "NAME=value", beside what is always set
  UniqueFd input;
  UniqueFd output;
  UniqueFd errors;
};

struct GitChild {
  pid_t pid = -1;  // also the number of its group
  UniqueFd pidfd;
};

// Blocks until git runs, some milliseconds. kUnavailable when there is no git here, or it cannot be
// confined.
Result<GitChild> SpawnGit(const GitSpawnRequest& start);

}  // namespace viv::git
