#pragma once
// Moves the calling thread into another network namespace, by setns or unshare, until the
// destructor moves it back. No coroutine may be awaited meanwhile. If the thread cannot be moved
// back, the process aborts: the thread would serve its next caller from inside a box.

#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

class ScopedNetns {
 public:
  static Result<ScopedNetns> Enter(int netns);
  // A new namespace, which ends with its last holder.
  static Result<ScopedNetns> EnterNew();

  ScopedNetns(ScopedNetns&& other) noexcept : original_(std::move(other.original_)) {}
  ScopedNetns& operator=(ScopedNetns&&) = delete;
  ~ScopedNetns();

 private:
  explicit ScopedNetns(UniqueFd original) : original_(std::move(original)) {}
  static Result<UniqueFd> OpenCurrent();

  UniqueFd original_;
};

}  // namespace viv::network
