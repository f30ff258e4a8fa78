// Applies Landlock and the seccomp filter. Runs between clone and agent: system calls only.

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/containment_steps_child.h"

namespace viv::runtime {
namespace {

// The kernel's struct as of ABI 6; older kernels are given its first field only.
struct LandlockRuleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

// All rights to files that an ABI knows: renaming into another folder came with 2, truncating with
// 3, device ioctls with 5. A right that is not handled is not restricted, except renaming, which is
// then forbidden: so ABI 1 is of no use here.
constexpr std::uint64_t LandlockFileRights(long abi) {
  int count = abi >= 5 ? 16 : abi >= 3 ? 15 : 14;
  return (std::uint64_t{1} << count) - 1;
}

// From ABI 6 on: no signals to processes outside this box, and no abstract sockets of theirs.
constexpr std::uint64_t kLandlockScopes = 3;

}  // namespace

int ApplyLandlock(const Containment& box) {
  if (!box.landlock) return 0;
  long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi < 2) return 0;  // the kernel has no Landlock that would do; `viv doctor` says so
  LandlockRuleset ruleset;
  ruleset.files = LandlockFileRights(abi);
  if (abi >= 6) ruleset.scopes = kLandlockScopes;
  std::size_t size = abi >= 6 ? sizeof ruleset : sizeof ruleset.files;
  int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &ruleset, size, 0));
  if (rules < 0) return errno;
  // Everything below the box's root, and nothing that may ever be reached beyond it.
  int root = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return errno;
  landlock_path_beneath_attr beneath{};
  beneath.allowed_access = ruleset.files;
  beneath.parent_fd = root;
  if (::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0)
    return errno;
  ::close(root);
  if (::syscall(SYS_landlock_restrict_self, rules, 0) != 0) return errno;
  ::close(rules);
  return 0;
}

int InstallSeccompFilter(const Containment& box) {
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, box.filter) == 0 ? 0 : errno;
}

}  // namespace viv::runtime
