#pragma once
// Makes file system calls for a user of the box, so that created files belong to the user. The
// agent is root of the box; with the user's fsuid the kernel also drops the capabilities that
// override permissions, and restores them with root's. All of this is per thread, so that nothing
// may be awaited meanwhile: RunAsUser and RunAsUserWithRootCapabilities take a plain function. As
// with every change of ids, the kernel makes the process undumpable and untraceable from then on,
// which is right for an agent that holds a token.

#include <sys/types.h>

#include <cerrno>
#include <type_traits>
#include <utility>
#include <vector>

#include "agent/files/file_result.h"
#include "agent/users.h"

namespace viv::agent {

enum class Rights {
  kOwn,   // the user's own permissions
  kRoot,  // root's capabilities
};

class ScopedFsUser {
 public:
  ScopedFsUser(const User& user, Rights rights);
  ~ScopedFsUser();
  ScopedFsUser(const ScopedFsUser&) = delete;
  ScopedFsUser& operator=(const ScopedFsUser&) = delete;

  bool succeeded() const { return succeeded_; }

 private:
  bool changed_ = false;
  bool succeeded_ = false;
  uid_t uid_before_ = 0;
  gid_t gid_before_ = 0;
  std::vector<gid_t> groups_before_;
};

// Runs `work`, which returns ErrnoOr or FileResult, as that user.
template <typename Work>
auto RunWithFsUser(const User& user, Rights rights, Work work) -> decltype(work()) {
  using Error = typename decltype(work())::error_type;
  ScopedFsUser fs_user(user, rights);
  if (fs_user.succeeded()) return work();
  if constexpr (std::is_same_v<Error, int>) {
    return FailWithErrno(EPERM);
  } else {
    return FailFile(EPERM, "act as user " + user.name);
  }
}

template <typename Work>
auto RunAsUser(const User& user, Work work) -> decltype(work()) {
  return RunWithFsUser(user, Rights::kOwn, std::move(work));
}

template <typename Work>
auto RunAsUserWithRootCapabilities(const User& user, Work work) -> decltype(work()) {
  return RunWithFsUser(user, Rights::kRoot, std::move(work));
}

}  // namespace viv::agent
