// A box's root file system. Runs between clone and agent: system calls only.

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

// Maps the owners of a detached mount into the box's range of ids and attaches the mount at `path`.
int AttachMapped(int mount, int user_namespace, std::uint64_t attributes, const char* path) {
  mount_attr mapped{};
  mapped.attr_set = MOUNT_ATTR_IDMAP | attributes;
  mapped.userns_fd = static_cast<std::uint64_t>(user_namespace);
  if (::syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &mapped, sizeof mapped) != 0)
    return errno;
  return ::syscall(SYS_move_mount, mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0 ? 0
                                                                                            : errno;
}

void AppendNumber(char* text, std::size_t number) {
  char digits[20];
  std::size_t count = 0;
  do digits[count++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  text += std::strlen(text);
  while (count > 0) *text++ = digits[--count];
  *text = '\0';
}

// The folder below the current one; what is in there is of a template or a box, so links are
// refused.
int OpenOwnFolder(const char* name) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how));
}

}  // namespace

int EnsureFolder(const char* name) {
  int fd = OpenOwnFolder(name);
  if (fd < 0 && errno == ENOENT) {
    if (::mkdirat(AT_FDCWD, name, 0755) != 0) return errno;
    fd = OpenOwnFolder(name);
  }
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

int IdMapLayers(const Containment& box) {
  constexpr std::uint64_t kSealed = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID;
  for (std::size_t i = 0; i < box.layer_count; ++i) {
    char path[64];
    std::strcpy(path, kSpawnerLayers);
    std::strcat(path, "/");
    AppendNumber(path, i);
    if (int error = AttachMapped(box.layers[i], box.user_namespace, kSealed, path); error != 0)
      return error;
  }
  return AttachMapped(box.folder, box.user_namespace, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID,
                      kSpawnerFolder);
}

int MountOverlays(const Containment& box) {
  for (std::size_t i = 0; i < box.overlay_count; ++i) {
    const Containment::OverlayMountOptions& overlay = box.overlays[i];
    bool is_root = overlay.mount_point[0] == '\0';
    if (!is_root) {
      if (int error = EnsureFolder(overlay.mount_point); error != 0) return error;
    }
    // The layers stay mounted in the spawner's root, which no path of the box reaches. Unmounting
    // them would cost more than mounting the overlay.
    if (::mount("overlay", is_root ? kSpawnerRoot : overlay.mount_point, "overlay", MS_NODEV,
                overlay.options) != 0)
      return errno;
    if (is_root && ::chdir(kSpawnerRoot) != 0) return errno;
  }
  return 0;
}

int EnterRoot(const Containment&) {
  // The current folder is kSpawnerRoot. pivot_root would visit every process of the machine; moving
  // the mount onto "/" does not, and what then lies below is the spawner's empty root.
  if (::mount(".", "/", nullptr, MS_MOVE, nullptr) != 0) return errno;
  if (::chroot(".") != 0) return errno;
  return ::chdir("/") == 0 ? 0 : errno;
}

}  // namespace viv::runtime
