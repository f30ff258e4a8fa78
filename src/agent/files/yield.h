#pragma once
// The agent has one thread. Long work yields between batches, so that other coroutines run.

#include "base/task.h"

namespace viv::agent {

Task<void> Yield();

}  // namespace viv::agent
