#pragma once
// The program inside a box: its pid 1. It serves envd's protocol on a listening unix socket that
// the host made, so that nothing in the box can take its place, and reaps what dies.

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::agent {

// Runs until the box ends; the caller is contained already and single-threaded.
[[noreturn]] void Run(UniqueFd listener);

}  // namespace viv::agent
