#include "tools/filesystem/folder.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace viv::tools::filesystem {
namespace {

constexpr std::size_t kEntriesMax = 100'000;

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

mode_t KindOf(int folder, const dirent& item) {
  if (item.d_type != DT_UNKNOWN) return DTTOIF(item.d_type);
  struct stat status {};
  if (::fstatat(folder, item.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return status.st_mode & S_IFMT;
}

Result<Folder> Listed(UniqueFd fd, const std::string& shown) {
  // The stream takes a descriptor of its own, for closing it closes that.
  const std::unique_ptr<DIR, FolderCloser> stream(
      ::fdopendir(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)));
  if (stream == nullptr) return Fail(ErrorCode::kInternal, NodeErrorText(errno, "scandir", shown));
  Folder folder{std::move(fd), {}};
  while (const dirent* item = ::readdir(stream.get())) {
    const std::string name = item->d_name;
    if (name == "." || name == "..") continue;
    if (folder.entries.size() == kEntriesMax)
      return Fail(ErrorCode::kLimitExceeded,
                  shown + " has more than 100000 entries, too many to list");
    const mode_t kind = KindOf(folder.fd.get(), *item);
    folder.entries.push_back({name, S_ISDIR(kind), S_ISLNK(kind)});
  }
  std::sort(folder.entries.begin(), folder.entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return folder;
}

}  // namespace

Result<Folder> ListFolder(const Workspace& workspace, const ResolvedPath& resolved) {
  ASSIGN_OR_RETURN(UniqueFd fd,
                   OpenResolved(workspace, resolved, O_RDONLY | O_DIRECTORY, "scandir"));
  return Listed(std::move(fd), resolved.shown);
}

Result<Folder> ListFolder(const Folder& parent, const Entry& entry, const std::string& shown) {
  UniqueFd fd(::openat(parent.fd.get(), entry.name.c_str(),
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return Fail(ErrorCode::kInvalidArgument, NodeErrorText(errno, "scandir", shown));
  return Listed(std::move(fd), shown);
}

}  // namespace viv::tools::filesystem
