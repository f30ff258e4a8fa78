#pragma once
// User namespaces with a box's range of ids. Each is owned by the first id of its range: the kernel
// counts inotify instances, pending signals and the like per owner as well, so a box that uses up
// its share takes nothing from another.

#include <cstdint>

#include "base/unique_fd.h"
#include "spawner/empty_root.h"

namespace viv::spawner {

class UserNamespaces {
 public:
  // `proc` is the host's /proc, and outlives this.
  explicit UserNamespaces(const UniqueFd& proc) : proc_(proc) {}

  // Lets go of ids without letting go of powers; once, before the first Make.
  StepFailure Prepare();
  StepFailure Make(std::uint32_t first_id, UniqueFd& made);
  // Has one ready for who is likely to be next; slots are handed out in order.
  void Preallocate(std::uint32_t first_id);

 private:
  StepFailure MakeNew(std::uint32_t first_id, UniqueFd& made);
  StepFailure MapIds(int holder, std::uint32_t first_id) const;

  const UniqueFd& proc_;
  std::uint32_t prepared_id_ = 0;
  UniqueFd prepared_;
};

}  // namespace viv::spawner
