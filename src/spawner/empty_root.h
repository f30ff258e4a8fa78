#pragma once
// The root that the spawner lives in and boxes are put together in: an almost empty, read-only
// tmpfs. What a box's own root covers is this, so there is nothing to find below it.

#include "base/unique_fd.h"
#include "runtime/wire.h"

namespace viv::spawner {

struct StepFailure {
  runtime::Step step = runtime::Step::kNone;
  int error = 0;
};

// Leaves the host's mounts for good. `proc` is the host's /proc, which stays open for id maps.
StepFailure EnterEmptyRoot(UniqueFd& proc);

}  // namespace viv::spawner
