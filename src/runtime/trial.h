#pragma once
// Tries system calls in a process of its own, so that they leave nothing behind. Only trying shows
// whether this machine permits them.

#include <cstdint>

#include "base/unique_fd.h"

namespace viv::runtime {

// Makes a user namespace with the first box's range of ids, which exists as long as the descriptor
// is open. Returns 0 or an errno.
int MakeTrialUserNamespace(UniqueFd& made);

// Clones with those namespaces (CLONE_NEW…) and runs `attempt` there, which makes system calls only
// and returns 0 or an errno. The answer is the attempt's, or the errno of what kept it from
// running.
int TryInChild(std::uint64_t namespaces,
               int (*attempt)(const void*),
               const void* argument = nullptr);

}  // namespace viv::runtime
