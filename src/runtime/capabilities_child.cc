// Sets the ids and capabilities of a box's processes. Runs between clone and agent: system calls
// only.

#include <linux/capability.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

constexpr std::uint64_t Capability(int number) {
  return std::uint64_t{1} << number;
}

// The capabilities that the steps up to BecomeBoxRoot need, and with which overlays access their
// layers: files, mounts, namespaces, ids. CAP_SYS_RESOURCE is not among them, because it overrides
// quotas and reserved blocks.
constexpr std::uint64_t kHostCapabilitiesKept =
    Capability(CAP_CHOWN) | Capability(CAP_DAC_OVERRIDE) | Capability(CAP_DAC_READ_SEARCH) |
    Capability(CAP_FOWNER) | Capability(CAP_FSETID) | Capability(CAP_SETGID) |
    Capability(CAP_SETUID) | Capability(CAP_MKNOD) | Capability(CAP_SETFCAP) |
    Capability(CAP_SYS_ADMIN) | Capability(CAP_SYS_CHROOT);

// The capabilities that root of a box can have, over its own users and files only. Installing
// packages and running services as another user needs these; nothing here touches a kernel object
// that boxes share.
constexpr std::uint64_t kBoxCapabilities =
    Capability(CAP_CHOWN) | Capability(CAP_DAC_OVERRIDE) | Capability(CAP_FOWNER) |
    Capability(CAP_FSETID) | Capability(CAP_KILL) | Capability(CAP_SETGID) |
    Capability(CAP_SETUID) | Capability(CAP_SETFCAP) | Capability(CAP_NET_BIND_SERVICE) |
    Capability(CAP_AUDIT_WRITE);

int SetCapabilities(std::uint64_t set) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  for (int half = 0; half < 2; ++half) {
    data[half].effective = data[half].permitted = static_cast<std::uint32_t>(set >> (32 * half));
  }
  return ::syscall(SYS_capset, &header, data) == 0 ? 0 : errno;
}

}  // namespace

int DropHostCapabilities(const Containment& box) {
  // A box's files cannot belong to host root. With this fsuid, the files that this process and
  // later the overlays create belong to root of the box.
  ::setfsgid(box.first_id);
  ::setfsuid(box.first_id);
  if (static_cast<std::uint32_t>(::setfsuid(box.first_id)) != box.first_id) return EPERM;
  return SetCapabilities(kHostCapabilitiesKept);
}

int BecomeBoxRoot(const Containment& box) {
  // These are raw system calls, because glibc's wrappers signal all threads, and there is only one.
  if (::setns(box.user_namespace, CLONE_NEWUSER) != 0) return errno;
  if (::syscall(SYS_setgroups, 0, nullptr) != 0) return errno;
  if (::syscall(SYS_setresgid, 0, 0, 0) != 0) return errno;
  if (::syscall(SYS_setresuid, 0, 0, 0) != 0) return errno;
  // No process in the box, not even root's, can read or trace the agent.
  return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

int ReduceBoundingSet(const Containment&) {
  for (int number = 0; number < 64; ++number) {
    if ((kBoxCapabilities & Capability(number)) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0) {
      return errno == EINVAL ? 0 : errno;  // past the last one this kernel knows
    }
  }
  return 0;
}

int DropCapabilities(const Containment&) {
  return SetCapabilities(kBoxCapabilities);
}

}  // namespace viv::runtime
