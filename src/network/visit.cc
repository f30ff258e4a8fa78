#include "network/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#include <string>

#include "base/check.h"
#include "base/errno_error.h"

namespace viv::network {

Result<UniqueFd> Visit::OpenHome() {
  UniqueFd home(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!home) return FailErrno(ErrorCode::kInternal, "open /proc/thread-self/ns/net");
  return home;
}

Result<Visit> Visit::To(int network) {
  ASSIGN_OR_RETURN(UniqueFd home, OpenHome());
  if (setns(network, CLONE_NEWNET) != 0)
    return FailErrno(ErrorCode::kInternal, "setns into a network namespace");
  return Visit(std::move(home));
}

Result<Visit> Visit::ToNew() {
  ASSIGN_OR_RETURN(UniqueFd home, OpenHome());
  if (unshare(CLONE_NEWNET) != 0) {
    if (errno == EPERM)
      return Fail(ErrorCode::kUnavailable,
                  "make a network namespace: not permitted; run the server as root");
    return FailErrno(ErrorCode::kInternal, "make a network namespace");
  }
  return Visit(std::move(home));
}

Visit::~Visit() {
  if (home_) CHECK(setns(home_.get(), CLONE_NEWNET) == 0);
}

}  // namespace viv::network
