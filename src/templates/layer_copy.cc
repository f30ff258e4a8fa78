#include "templates/layer_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

namespace viv::templates {
namespace {

constexpr std::size_t kCopiedEntriesMax = 200'000;

Status CopyFolderEntry(const std::string& from, const std::string& path, const FolderWriter& into) {
  struct stat status {};
  if (lstat(from.c_str(), &status) != 0) return FailSystem("look at " + from);
  RETURN_IF_ERROR(into.Folder(
      path, {.mode = status.st_mode & 07777U, .user = status.st_uid, .group = status.st_gid}));
  char value = 0;
  if (lgetxattr(from.c_str(), "trusted.overlay.opaque", &value, 1) == 1 && value == 'y')
    return into.MakeOpaque(path);
  return {};
}

}  // namespace

Status CopyLayer(const std::string& layer, const FolderWriter& into) {
  namespace fs = std::filesystem;
  RETURN_IF_ERROR(CopyFolderEntry(layer, ".", into));
  std::error_code error;
  std::size_t count = 0;
  // Links to folders are not entered.
  for (fs::recursive_directory_iterator entry(layer, error), end; !error && entry != end;
       entry.increment(error)) {
    if (++count > kCopiedEntriesMax)
      return Fail(ErrorCode::kLimitExceeded, "copy " + layer + ": there are too many files");
    const std::string from = entry->path();
    const std::string path = from.substr(layer.size() + 1);
    if (entry->symlink_status(error).type() == fs::file_type::directory) {
      RETURN_IF_ERROR(CopyFolderEntry(from, path, into));
    } else if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, into.Path(path).c_str(), 0) != 0) {
      return FailSystem("copy " + from);
    }
  }
  if (error) return Fail(ErrorCode::kInternal, "copy " + layer + ": " + error.message());
  return {};
}

}  // namespace viv::templates
