#pragma once
// Cleans a box's network namespace, so that another box may get it.

#include "base/result.h"

namespace viv::network {

// Destroys what belongs to no process in that namespace: orphaned sockets and conntrack entries.
// Returns true if no socket of any kind is left, so that the next box sees nothing of this one but
// the byte counters of `lo`.
Result<bool> CleanNamespace(int netns);

}  // namespace viv::network
