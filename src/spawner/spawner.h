#pragma once
// The process that clones boxes. One thread, a handful of descriptors, an empty root; it answers
// one request after the other and remembers no box. Dead boxes are reaped by the kernel. When the
// server goes, so does the spawner, and the boxes live on.

#include "base/unique_fd.h"

namespace viv::spawner {

// Serves requests from `server` until its other end is closed; the exit status. In a cloned box it
// does not return at all: there the agent runs.
int Serve(UniqueFd server);

}  // namespace viv::spawner
