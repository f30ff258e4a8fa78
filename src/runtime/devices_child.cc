// /dev of a box: a small tmpfs of its own. Runs between clone and agent: system calls only.

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

struct DeviceNode {
  const char* path;
  unsigned major, minor;
};
constexpr DeviceNode kDeviceNodes[] = {
    {"dev/null", 1, 3},   {"dev/zero", 1, 5},    {"dev/full", 1, 7},
    {"dev/random", 1, 8}, {"dev/urandom", 1, 9}, {"dev/tty", 5, 0},
};

struct DeviceLink {
  const char* path;
  const char* target;
};
constexpr DeviceLink kDeviceLinks[] = {
    {"dev/fd", "/proc/self/fd"},       {"dev/stdin", "/proc/self/fd/0"},
    {"dev/stdout", "/proc/self/fd/1"}, {"dev/stderr", "/proc/self/fd/2"},
    {"dev/ptmx", "pts/ptmx"},
};

int FillDevices() {
  for (const DeviceNode& node : kDeviceNodes) {
    if (::mknod(node.path, S_IFCHR | 0666, makedev(node.major, node.minor)) != 0) return errno;
  }
  for (const DeviceLink& link : kDeviceLinks) {
    if (::symlink(link.target, link.path) != 0) return errno;
  }
  if (::mkdir("dev/pts", 0755) != 0 || ::mkdir("dev/shm", 01777) != 0) return errno;
  return 0;
}

}  // namespace

int MakeDevices(const Containment& box) {
  if (int error = EnsureFolder("dev"); error != 0) return error;
  // Devices work here and nowhere else in the box; no one there can make further ones.
  if (::mount("tmpfs", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC, box.device_options) != 0)
    return errno;
  mode_t mask = ::umask(0);
  int error = FillDevices();
  ::umask(mask);
  if (error != 0) return error;
  return ::mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, box.terminal_options) == 0
             ? 0
             : errno;
}

}  // namespace viv::runtime
