#pragma once
// A thread's visit to another network namespace: it begins with setns or unshare and ends in the
// destructor, whatever happens between. Nothing may wait on a coroutine during a visit. A thread
// that could not come back would serve its next caller from inside a box, so that aborts.

#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

class ScopedNetns {
 public:
  static Result<ScopedNetns> Enter(int network);
  static Result<ScopedNetns>
  EnterNew();  // a namespace made for this visit; it dies with its last holder

  ScopedNetns(ScopedNetns&& other) noexcept : original_(std::move(other.original_)) {}
  ScopedNetns& operator=(ScopedNetns&&) = delete;
  ~ScopedNetns();

 private:
  explicit ScopedNetns(UniqueFd original) : original_(std::move(original)) {}
  static Result<UniqueFd> OpenCurrent();

  UniqueFd original_;
};

}  // namespace viv::network
