#pragma once
// Counts the processes that belong to a session leader: its descendants, and all other processes of
// its session.

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace viv::agent {

// Without itself and without those that only wait to be collected. `proc` is where procfs is.
std::size_t CountDescendants(pid_t leader, const std::string& proc = "/proc");

}  // namespace viv::agent
