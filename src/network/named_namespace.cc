#include "network/named_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/errno_error.h"
#include "base/log.h"
#include "network/namespace_setup.h"
#include "network/scoped_netns.h"

namespace viv::network {
namespace {

constexpr std::size_t kNamespaceNameMax = 64;
constexpr int kMountsOnOneFileMax = 8;

tl::unexpected<Error> NamedNamespaceError(const std::string& doing, int number) {
  if (number == EPERM)
    return Fail(ErrorCode::kUnavailable, doing + ": not permitted; run the server as root");
  return FailErrno(ErrorCode::kInternal, doing, number);
}

bool IsNamespaceName(std::string_view name) {
  return !name.empty() && name.size() <= kNamespaceNameMax &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

std::string NamespacePath(const std::string& directory, std::string_view name) {
  return directory + "/" + std::string(name);
}

bool IsMountRoot(const std::string& path) {
  struct statx found {};
  if (statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_TYPE, &found) != 0) return false;
  return (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool IsNamespace(int fd) {
  struct statfs found {};
  return fstatfs(fd, &found) == 0 && found.f_type == NSFS_MAGIC;
}

std::vector<std::string> NamespaceFiles(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    if (IsNamespaceName(name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Status OpenNamespaceFolder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return NamedNamespaceError("make " + directory, error.value());
  if (!IsMountRoot(directory) &&
      mount(directory.c_str(), directory.c_str(), nullptr, MS_BIND, nullptr) != 0)
    return NamedNamespaceError("mount " + directory + " on itself", errno);
  if (mount(nullptr, directory.c_str(), nullptr, MS_PRIVATE, nullptr) != 0)
    return NamedNamespaceError("make the mount " + directory + " private", errno);
  for (const std::string& name : NamespaceFiles(directory))
    if (!FindNamedNamespace(directory, name)) RemoveNamedNamespace(directory, name);
  return {};
}

void CloseNamespaceFolder(const std::string& directory) {
  if (NamespaceFiles(directory).empty()) umount2(directory.c_str(), MNT_DETACH);
}

Result<UniqueFd> MakeNamedNamespace(const std::string& directory, const std::string& name) {
  std::string path = NamespacePath(directory, name);
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
  if (!file) return NamedNamespaceError("create " + path, errno);
  auto made = [&]() -> Result<UniqueFd> {
    ASSIGN_OR_RETURN(ScopedNetns scope, ScopedNetns::EnterNew());
    RETURN_IF_ERROR(SetUpNamespace());
    if (mount("/proc/thread-self/ns/net", path.c_str(), nullptr, MS_BIND, nullptr) != 0)
      return NamedNamespaceError("keep a network namespace at " + path, errno);
    return FindNamedNamespace(directory, name);
  }();
  if (!made) RemoveNamedNamespace(directory, name);
  return made;
}

Result<UniqueFd> FindNamedNamespace(const std::string& directory, std::string_view name) {
  if (!IsNamespaceName(name))
    return Fail(ErrorCode::kNotFound, "no network namespace has such a name");
  std::string path = NamespacePath(directory, name);
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd && errno != ENOENT) return NamedNamespaceError("open " + path, errno);
  if (!fd || !IsNamespace(fd.get()))
    return Fail(ErrorCode::kNotFound, "no network namespace is kept at " + path);
  return fd;
}

void RemoveNamedNamespace(const std::string& directory, const std::string& name) {
  std::string path = NamespacePath(directory, name);
  for (int i = 0; i < kMountsOnOneFileMax; ++i)
    if (umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) break;
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    log::Warn("network.namespace_not_removed", {{"path", path}, {"error", ErrnoMessage(errno)}});
}

std::vector<std::string> ListNamedNamespaces(const std::string& directory) {
  std::vector<std::string> names = NamespaceFiles(directory);
  std::erase_if(names,
                [&](const std::string& name) { return !FindNamedNamespace(directory, name); });
  return names;
}

}  // namespace viv::network
