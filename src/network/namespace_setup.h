#pragma once
// How a box's namespace is wired: `lo` with routable addresses, everything routed to it, the kernel
// settings a box expects, and the redirecting rules.

#include "base/result.h"

namespace viv::network {

// Wires the calling thread's network namespace, which must be fresh.
Status SetUpNamespace();

// Whether this machine can have such namespaces, found by making one for a moment.
Status ProbeNamespaces();

}  // namespace viv::network
