#pragma once
// Makes user namespaces with a box's range of ids. Each is owned by the first id of its range: the
// kernel limits inotify instances, pending signals and the like per owner, so that a box that uses
// up its limit takes nothing from another.

#include <cstdint>

#include "base/unique_fd.h"
#include "spawner/empty_root.h"

namespace viv::spawner {

class UserNamespaces {
 public:
  // `proc` is the host's /proc, and outlives this.
  explicit UserNamespaces(const UniqueFd& proc) : proc_(proc) {}

  // Sets securebits so that a change of user keeps the capabilities. Call it once, before the first
  // Make.
  StepFailure Prepare();
  StepFailure Make(std::uint32_t first_id, UniqueFd& made);
  // Makes the namespace of the box that is likely to come next; slots are given out in order.
  void Preallocate(std::uint32_t first_id);

 private:
  StepFailure MakeNew(std::uint32_t first_id, UniqueFd& made);
  StepFailure MapIds(int holder, std::uint32_t first_id) const;

  const UniqueFd& proc_;
  std::uint32_t prepared_id_ = 0;
  UniqueFd prepared_;
};

}  // namespace viv::spawner
