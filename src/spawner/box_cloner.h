#pragma once
// Makes one box of one request: checks the request, prepares all that containment needs, clones,
// and waits for the clone's report.

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

  // Returns twice, as fork does: in the spawner, and in the box with a listener.
  CloneResult Clone(runtime::Packet packet);
  // Prepares the next box as far as possible before it is requested.
  void PrepareNext();

 private:
  UserNamespaces& users_;
  const sock_fprog& filter_;
  bool landlock_;
  std::uint32_t last_slot_ = 0;
};

}  // namespace viv::spawner
