#pragma once
// What a box may leave in its network namespace, and whether another box may get it.

#include "base/result.h"

namespace viv::network {

// Clears what nobody owns any more in that namespace (connections that only wait for time to pass,
// tracking entries). True when no socket of any kind is left, so that the next box can see nothing
// of this one but the byte counters of `lo`.
Result<bool> CleanNamespace(int network);

}  // namespace viv::network
