#pragma once
// The process that clones boxes. It has one thread, few descriptors and an empty root; it handles
// one request after the other and keeps no state of boxes. The kernel reaps dead boxes. When the
// server ends, the spawner ends too, and the boxes keep running.

#include "base/unique_fd.h"

namespace viv::spawner {

// Serves requests from `server` until its other end is closed; the exit status. In a cloned box it
// does not return at all: there the agent runs.
int Serve(UniqueFd server);

}  // namespace viv::spawner
