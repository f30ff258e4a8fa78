#pragma once
// The program inside a box, which is its pid 1. It serves envd's protocol on a listening unix
// socket that the host made, so that no process of the box can replace it, and it reaps orphans.

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::agent {

// Runs until the box ends; the caller is contained already and single-threaded.
[[noreturn]] void Run(UniqueFd listener);

}  // namespace viv::agent
