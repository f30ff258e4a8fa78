#pragma once
// Makes file system calls as a user of the box. The agent is the box's root; with the user's fsuid
// the kernel also takes away the capabilities that would override permissions, and gives them back
// with root's. All of it is per thread, so nothing may be awaited meanwhile: AsUser takes a plain
// function.
// As with every change of ids, the kernel takes the process for one that must not be dumped or
// traced from then on, which suits an agent that holds a token.

#include <sys/types.h>

#include <cerrno>
#include <type_traits>
#include <vector>

#include "agent/files/sys.h"
#include "agent/users.h"

namespace viv::agent {

class ActingAs {
 public:
  explicit ActingAs(const User& user);
  ~ActingAs();
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;

  bool succeeded() const { return succeeded_; }

 private:
  bool changed_ = false;
  bool succeeded_ = false;
  uid_t uid_before_ = 0;
  gid_t gid_before_ = 0;
  std::vector<gid_t> groups_before_;
};

// What `work`, a function that answers Sys or Outcome, answers as that user.
template <typename Work>
auto AsUser(const User& user, Work work) -> decltype(work()) {
  using Error = typename decltype(work())::error_type;
  ActingAs acting(user);
  if (acting.succeeded()) return work();
  if constexpr (std::is_same_v<Error, int>) {
    return SysFail(EPERM);
  } else {
    return Failed(EPERM, "act as user " + user.name);
  }
}

}  // namespace viv::agent
