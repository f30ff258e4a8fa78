#pragma once
// The agent has one thread. Long work is done in batches, and others run in between.

#include "base/task.h"

namespace viv::agent {

Task<void> Yield();

}  // namespace viv::agent
