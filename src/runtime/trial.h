#pragma once
// Tries something in a process of its own, so that nothing of it stays: the only sure way to know
// whether this machine lets us.

#include <cstdint>

#include "base/unique_fd.h"

namespace viv::runtime {

// A user namespace with the first box's ids, for as long as the descriptor is kept; an errno
// without.
int MakeTrialUserNamespace(UniqueFd& made);

// Clones with those namespaces (CLONE_NEW…) and runs `attempt` there, which makes system calls only
// and returns 0 or an errno. The answer is the attempt's, or the errno of what kept it from
// running.
int TryInChild(std::uint64_t namespaces,
               int (*attempt)(const void*),
               const void* argument = nullptr);

}  // namespace viv::runtime
