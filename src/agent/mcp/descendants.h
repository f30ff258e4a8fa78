#pragma once
// How many processes belong to one that leads a session: its children, theirs, and all else in its
// session.

#include <sys/types.h>

#include <cstddef>
#include <string>

namespace viv::agent {

// Without itself and without those that only wait to be collected. `proc` is where procfs is.
std::size_t CountDescendants(pid_t leader, const std::string& proc = "/proc");

}  // namespace viv::agent
