#pragma once
// The spawner's root, in which the roots of boxes are mounted: an almost empty, read-only tmpfs. A
// box's own root covers it, so that a process that got below its root would find nothing.

#include "base/unique_fd.h"
#include "runtime/wire.h"

namespace viv::spawner {

struct StepFailure {
  runtime::Step step = runtime::Step::kNone;
  int error = 0;
};

// Replaces the root and detaches the host's mounts. `proc` is the host's /proc, which stays open
// for id maps.
StepFailure EnterEmptyRoot(UniqueFd& proc);

}  // namespace viv::spawner
