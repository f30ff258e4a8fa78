#include "tools/archive/beneath.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/errno_error.h"

namespace viv::tools {
namespace {

constexpr int kOpenTries = 64;  // the kernel asks to try again while somebody renames

}  // namespace

UniqueFd OpenBeneath(
    int folder, const std::string& path, int flags, mode_t mode, std::uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = resolve;
  const char* name = path.empty() ? "." : path.c_str();
  for (int i = 0; i < kOpenTries; ++i) {
    const long fd = ::syscall(SYS_openat2, folder, name, &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

tl::unexpected<Error> FailArchiveCall(const std::string& doing, int error) {
  if (error == ENOSPC || error == EDQUOT)
    return Fail(ErrorCode::kLimitExceeded, doing + ": the disk is full");
  return FailErrno(ErrorCode::kInternal, doing, error);
}

}  // namespace viv::tools
