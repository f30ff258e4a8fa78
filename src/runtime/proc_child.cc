// /proc of a box. Runs between clone and agent: system calls only. Its files belong to host root,
// whom a box sees as nobody, so that most of these masks are a second line of defence.

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

constexpr unsigned long kProcFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

// What tells about the host and anyone may read, and two files that would be fatal. Others that
// only host root may open (kmsg, kpage*, timer_list, slabinfo) are closed by that alone, and each
// cover costs a box some microseconds.
constexpr const char* kHiddenProcFiles[] = {
    "proc/kcore",         "proc/sysrq-trigger", "proc/kallsyms",   "proc/modules",
    "proc/keys",          "proc/key-users",     "proc/interrupts", "proc/sched_debug",
    "proc/latency_stats", "proc/cmdline",
};
// Triggers on files of proc/pressure are taken down one by one, each after all processors have
// passed a quiet state: a process with thousands of them would not die for minutes.
constexpr const char* kHiddenProcFolders[] = {"proc/acpi", "proc/scsi",   "proc/bus",     "proc/fs",
                                              "proc/irq",  "proc/asound", "proc/pressure"};

int BindOver(const char* source, const char* target) {
  // What this kernel does not have needs no cover.
  return ::mount(source, target, nullptr, MS_BIND, nullptr) == 0 || errno == ENOENT ? 0 : errno;
}

// A read-only mount of `source` put at `target`.
int AttachReadOnly(const char* source, const char* target) {
  int tree = static_cast<int>(
      ::syscall(SYS_open_tree, AT_FDCWD, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (tree < 0) return errno;
  mount_attr sealed{};
  sealed.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  int error = 0;
  if (::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &sealed, sizeof sealed) != 0 ||
      ::syscall(SYS_move_mount, tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) != 0)
    error = errno;
  ::close(tree);
  return error;
}

}  // namespace

int MountProc(const Containment&) {
  if (int error = EnsureFolder("proc"); error != 0) return error;
  return ::mount("proc", "proc", "proc", kProcFlags, nullptr) == 0 ? 0 : errno;
}

int MaskProc(const Containment&) {
  // In the spawner's root, which is mounted read-only: so are these.
  for (const char* file : kHiddenProcFiles) {
    if (int error = BindOver(kSpawnerEmptyFile, file); error != 0) return error;
  }
  for (const char* folder : kHiddenProcFolders) {
    if (int error = BindOver(kSpawnerEmptyFolder, folder); error != 0) return error;
  }
  return AttachReadOnly("proc/sys", "proc/sys");
}

int SetBootId(const Containment& box) {
  // The file has a name only until it is mounted.
  constexpr char kFile[] = "dev/.boot_id";
  int file = ::open(kFile, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0444);
  if (file < 0) return errno;
  int error = WriteText(file, box.boot_id);
  ::close(file);
  if (error == 0) error = AttachReadOnly(kFile, "proc/sys/kernel/random/boot_id");
  if (::unlink(kFile) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace viv::runtime
