#include "templates/folder_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_error.h"
#include "base/unique_fd.h"

namespace viv::templates {
namespace {

Status SetOwnership(const std::string& path, Ownership ownership) {
  if (lchown(path.c_str(), ownership.user, ownership.group) != 0)
    return FailSystem("chown " + path);
  if (chmod(path.c_str(), ownership.mode) != 0) return FailSystem("chmod " + path);
  return {};
}

}  // namespace

tl::unexpected<Error> FailSystem(std::string_view doing, int error) {
  // A name that exists already is our own mistake here, not the caller's conflict.
  const ErrorCode code = error == EEXIST ? ErrorCode::kInternal : CodeOfErrno(error);
  return FailErrno(code, doing, error);
}

Status SetOpaque(int folder) {
  // The first counts for overlays the host mounts, the second for those mounted in a user
  // namespace.
  if (fsetxattr(folder, "trusted.overlay.opaque", "y", 1, 0) != 0)
    return FailSystem("mark a folder opaque");
  (void)fsetxattr(folder, "user.overlay.opaque", "y", 1, 0);
  return {};
}

Result<FolderWriter> FolderWriter::Create(const std::string& root) {
  if (mkdir(root.c_str(), 0755) != 0) return FailSystem("make " + root);
  RETURN_IF_ERROR(SetOwnership(root, {.mode = 0755}));
  return FolderWriter(root);
}

Status FolderWriter::MakeParents(const std::string& path) const {
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string parent = Path(path.substr(0, at));
    if (mkdir(parent.c_str(), 0755) == 0) {
      RETURN_IF_ERROR(SetOwnership(parent, {.mode = 0755}));
    } else if (errno != EEXIST) {
      return FailSystem("make " + parent);
    }
  }
  return {};
}

Status FolderWriter::Folder(const std::string& path, Ownership ownership) const {
  RETURN_IF_ERROR(MakeParents(path));
  if (mkdir(Path(path).c_str(), 0755) != 0 && errno != EEXIST)
    return FailSystem("make " + Path(path));
  return SetOwnership(Path(path), ownership);
}

Status FolderWriter::File(const std::string& path,
                          std::string_view text,
                          Ownership ownership) const {
  RETURN_IF_ERROR(MakeParents(path));
  const std::string full = Path(path);
  // Never into a file that is there: it may be a link to one of the host.
  if (unlink(full.c_str()) != 0 && errno != ENOENT) return FailSystem("replace " + full);
  const UniqueFd file(
      open(full.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailSystem("make " + full);
  while (!text.empty()) {
    const ssize_t wrote = write(file.get(), text.data(), text.size());
    if (wrote < 0) return FailSystem("write " + full);
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return SetOwnership(full, ownership);
}

Status FolderWriter::Link(const std::string& path, const std::string& target) const {
  RETURN_IF_ERROR(MakeParents(path));
  if (symlink(target.c_str(), Path(path).c_str()) != 0) return FailSystem("link " + Path(path));
  return {};
}

Status FolderWriter::Whiteout(const std::string& path) const {
  RETURN_IF_ERROR(MakeParents(path));
  if (mknod(Path(path).c_str(), S_IFCHR, makedev(0, 0)) != 0)
    return FailSystem("hide " + Path(path));
  return {};
}

Status FolderWriter::MakeOpaque(const std::string& path) const {
  const UniqueFd folder(open(Path(path).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return FailSystem("open " + Path(path));
  return SetOpaque(folder.get());
}

}  // namespace viv::templates
