#pragma once
// One request becomes one box: checks it, prepares all that containment needs, clones, and waits
// for the clone's report.

#include <linux/filter.h>

#include "base/unique_fd.h"
#include "runtime/wire.h"
#include "spawner/user_namespaces.h"

namespace viv::spawner {

struct CloneResult {
  runtime::WireReply reply;
  UniqueFd pidfd;
  UniqueFd listener;  // only in the box itself, once it is contained
};

class BoxCloner {
 public:
  BoxCloner(UserNamespaces& users, const sock_fprog& filter, bool landlock)
      : users_(users), filter_(filter), landlock_(landlock) {}

  // Returns twice, as fork does.
  CloneResult Clone(runtime::Packet packet);
  // What can be done for the next box before it is asked for.
  void PrepareNext();

 private:
  UserNamespaces& users_;
  const sock_fprog& filter_;
  bool landlock_;
  std::uint32_t last_slot_ = 0;
};

}  // namespace viv::spawner
