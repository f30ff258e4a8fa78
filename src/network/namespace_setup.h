#pragma once
// Sets up a box's network namespace: routable addresses on `lo`, routes that send everything to it,
// the sysctls that a box expects, and the nft rules.

#include "base/result.h"

namespace viv::network {

// Sets up the calling thread's network namespace, which must be new.
Status SetUpNamespace();

// Checks that this machine supports such namespaces by making one.
Status ProbeNamespaces();

}  // namespace viv::network
