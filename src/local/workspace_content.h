#pragma once
// Lists and copies a folder of files that becomes a workspace. The listing checks that the content
// is allowed in one; the copy belongs to the box's user. Symbolic links are not followed. A file
// NAME.fast-import is not copied: it is the history of a git repository, as `git fast-import` reads
// it, from which the repository NAME is made in its place.

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace viv::local {

inline constexpr uid_t kWorkspaceUser = 1000;  // `user` of every template
inline constexpr std::size_t kContentEntriesMax = 200'000;
inline constexpr std::size_t kContentDepthMax = 64;
inline constexpr std::int64_t kContentBytesMax = 16LL << 30;

struct ContentEntry {
  enum class Kind { kFolder, kFile, kLink, kHistory } kind = Kind::kFile;
  std::string path;  // below the folder
  mode_t mode = 0;
  std::int64_t size = 0;
  timespec modified{};
  std::string target;  // a link's
};

// All of it, each folder before what it has, in order of names. kInvalidArgument with the name of
// what may not be there: devices, sockets, pipes, links that lead out of the workspace.
Result<std::vector<ContentEntry>> ListContent(const std::string& folder);
// Differs when anything in there does, as far as names, sizes and times tell.
std::string DescribeContent(const std::vector<ContentEntry>& entries);

// Makes the folder `to` with a copy. A machine without git gets no repositories, which is logged.
bool CanMakeRepositories();
Status CopyContent(const std::string& from,
                   const std::vector<ContentEntry>& entries,
                   const std::string& to);

}  // namespace viv::local
