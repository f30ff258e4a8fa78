#include "templates/layer_writer.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/archive_path.h"

namespace viv::templates {
namespace {

constexpr std::int64_t kIdsOfABox = 65536;
constexpr unsigned kNobody = 65534;

unsigned IdInBox(std::int64_t id) {
  return id >= 0 && id < kIdsOfABox ? static_cast<unsigned>(id) : kNobody;
}

timespec TimeOf(std::int64_t seconds) {
  return {.tv_sec = std::clamp<std::int64_t>(seconds, 0, 0xFFFFFFFFLL), .tv_nsec = 0};
}

bool IsWhiteout(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(0, 0);
}

}  // namespace

Result<LayerWriter> LayerWriter::Open(const std::string& root) {
  UniqueFd folder(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return FailSystem("open " + root);
  return LayerWriter(std::move(folder));
}

Result<UniqueFd> LayerWriter::OpenBeneath(const std::string& path) const {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  UniqueFd folder(static_cast<int>(
      syscall(SYS_openat2, root_.get(), path.empty() ? "." : path.c_str(), &how, sizeof how)));
  if (!folder && (errno == ELOOP || errno == ENOTDIR || errno == EXDEV))
    return RefuseArchiveMember(path, "is no folder but has files in it");
  if (!folder) return FailSystem("open " + path);
  return folder;
}

Result<UniqueFd> LayerWriter::OpenParent(const std::vector<std::string>& parts) const {
  std::string path = JoinArchivePath(parts);
  auto folder = OpenBeneath(path);
  if (folder || folder.error().code != ErrorCode::kNotFound) return folder;
  path.clear();
  ASSIGN_OR_RETURN(UniqueFd at, OpenBeneath(path));
  for (const std::string& part : parts) {
    if (mkdirat(at.get(), part.c_str(), 0755) == 0) {
      if (fchmodat(at.get(), part.c_str(), 0755, 0) != 0) return FailSystem("make " + part);
    } else if (errno != EEXIST) {
      return FailSystem("make " + part);
    }
    path += (path.empty() ? "" : "/") + part;
    ASSIGN_OR_RETURN(at, OpenBeneath(path));
  }
  return at;
}

// Removes an existing entry of that name; a folder of that name is refused.
Status LayerWriter::ClearName(int parent, const std::string& name) const {
  if (unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno == EISDIR) return RefuseArchiveMember(name, "is there twice, once as a folder");
  return FailSystem("replace " + name);
}

Status LayerWriter::Folder(int parent, const std::string& name, const EntryStatus& status) const {
  struct stat earlier {};
  const bool exists = fstatat(parent, name.c_str(), &earlier, AT_SYMLINK_NOFOLLOW) == 0;
  const bool hidden = exists && IsWhiteout(earlier);
  if (exists && !S_ISDIR(earlier.st_mode)) RETURN_IF_ERROR(ClearName(parent, name));
  if (mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST)
    return FailSystem("make " + name);
  const UniqueFd folder(
      openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder) return FailSystem("open " + name);
  if (hidden) RETURN_IF_ERROR(SetOpaque(folder.get()));
  return Finish(folder.get(), status);
}

Status LayerWriter::Link(int parent,
                         const std::string& name,
                         const std::string& target,
                         const EntryStatus& status) const {
  RETURN_IF_ERROR(ClearName(parent, name));
  if (symlinkat(target.c_str(), parent, name.c_str()) != 0) return FailSystem("link " + name);
  if (fchownat(parent, name.c_str(), IdInBox(status.user), IdInBox(status.group),
               AT_SYMLINK_NOFOLLOW) != 0)
    return FailSystem("link " + name);
  return {};
}

Status LayerWriter::HardLink(int parent,
                             const std::string& name,
                             const std::vector<std::string>& target) const {
  const std::vector<std::string> above(target.begin(), target.end() - 1);
  const auto folder = OpenBeneath(JoinArchivePath(above));
  if (!folder) return RefuseArchiveMember(name, "is a link to a file that is not in the layer");
  struct stat status {};
  if (fstatat(folder->get(), target.back().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
      !(S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)))
    return RefuseArchiveMember(name, "is a link to a file that is not in the layer");
  struct stat own {};
  if (fstatat(parent, name.c_str(), &own, AT_SYMLINK_NOFOLLOW) == 0 && own.st_ino == status.st_ino)
    return {};  // it names itself
  RETURN_IF_ERROR(ClearName(parent, name));
  if (linkat(folder->get(), target.back().c_str(), parent, name.c_str(), 0) != 0)
    return FailSystem("link " + name);
  return {};
}

Result<UniqueFd> LayerWriter::NewFile(int parent, const std::string& name) const {
  RETURN_IF_ERROR(ClearName(parent, name));
  UniqueFd file(
      openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailSystem("make " + name);
  return file;
}

Status LayerWriter::Whiteout(int parent, const std::string& name) const {
  if (name == ".wh..opq") return SetOpaque(parent);
  if (name.starts_with(".wh.")) return {};  // bookkeeping of aufs
  if (name.empty() || name == "." || name == "..")
    return RefuseArchiveMember(".wh." + name, "hides nothing");
  if (mknodat(parent, name.c_str(), S_IFCHR, makedev(0, 0)) == 0) return {};
  if (errno != EEXIST) return FailSystem("hide " + name);
  // It hides what lower layers have; what this layer put there stays.
  const UniqueFd folder(
      openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder ? SetOpaque(folder.get()) : Status();
}

Status LayerWriter::Finish(int file, const EntryStatus& status) {
  if (fchown(file, IdInBox(status.user), IdInBox(status.group)) != 0) return FailSystem("chown");
  if (fchmod(file, status.mode & 07777U) != 0) return FailSystem("chmod");
  const timespec times[2] = {TimeOf(status.modified), TimeOf(status.modified)};
  if (futimens(file, times) != 0) return FailSystem("set the time");
  return {};
}

Status LayerWriter::SetCapabilities(int file, const void* value, std::size_t size) {
  // The kernel checks the value; one it does not take was none.
  (void)fsetxattr(file, "security.capability", value, size, 0);
  return {};
}

}  // namespace viv::templates
