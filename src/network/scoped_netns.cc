#include "network/scoped_netns.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#include <string>

#include "base/check.h"
#include "base/errno_error.h"

namespace viv::network {

Result<UniqueFd> ScopedNetns::OpenCurrent() {
  UniqueFd original(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!original) return FailErrno(ErrorCode::kInternal, "open /proc/thread-self/ns/net");
  return original;
}

Result<ScopedNetns> ScopedNetns::Enter(int netns) {
  ASSIGN_OR_RETURN(UniqueFd original, OpenCurrent());
  if (setns(netns, CLONE_NEWNET) != 0)
    return FailErrno(ErrorCode::kInternal, "setns into a network namespace");
  return ScopedNetns(std::move(original));
}

Result<ScopedNetns> ScopedNetns::EnterNew() {
  ASSIGN_OR_RETURN(UniqueFd original, OpenCurrent());
  if (unshare(CLONE_NEWNET) != 0) {
    if (errno == EPERM)
      return Fail(ErrorCode::kUnavailable,
                  "make a network namespace: not permitted; run the server as root");
    return FailErrno(ErrorCode::kInternal, "make a network namespace");
  }
  return ScopedNetns(std::move(original));
}

ScopedNetns::~ScopedNetns() {
  if (original_) CHECK(setns(original_.get(), CLONE_NEWNET) == 0);
}

}  // namespace viv::network
