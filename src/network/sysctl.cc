#include "network/sysctl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <mutex>

#include "base/errno_error.h"
#include "base/unique_fd.h"

namespace viv::network {
namespace {

constexpr int kProcUsesMax = 512;  // about 12 per namespace

// A detached /proc mount; empty if the kernel cannot make one.
UniqueFd DetachedProc() {
  UniqueFd context(static_cast<int>(syscall(SYS_fsopen, "proc", FSOPEN_CLOEXEC)));
  if (!context) return UniqueFd();
  if (syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return UniqueFd();
  return UniqueFd(static_cast<int>(
      syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)));
}

// The current mount. Others may still use it while the next one is made.
std::shared_ptr<UniqueFd> CurrentProc() {
  static std::mutex mutex;
  static std::shared_ptr<UniqueFd> proc;
  static int uses = 0;
  std::lock_guard lock(mutex);
  if (proc == nullptr || ++uses > kProcUsesMax) {
    UniqueFd fresh = DetachedProc();
    if (!fresh) fresh = UniqueFd(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
    proc = std::make_shared<UniqueFd>(std::move(fresh));
    uses = 0;
  }
  return proc;
}

}  // namespace

Status WriteSysctl(const std::string& path, std::string_view value) {
  std::shared_ptr<UniqueFd> proc = CurrentProc();
  UniqueFd fd(openat(proc->get(), ("sys/net/" + path).c_str(), O_WRONLY | O_CLOEXEC));
  if (fd && write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()))
    return {};
  return FailErrno(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInternal,
                   "set /proc/sys/net/" + path);
}

bool HasSysctl(const std::string& path) {
  return faccessat(CurrentProc()->get(), ("sys/net/" + path).c_str(), F_OK, 0) == 0;
}

}  // namespace viv::network
