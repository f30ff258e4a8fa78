#pragma once
// A thread's visit to another network namespace: it begins with setns or unshare and ends in the
// destructor, whatever happens between. Nothing may wait on a coroutine during a visit. A thread
// that could not come back would serve its next caller from inside a box, so that aborts.

#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace viv::network {

class Visit {
 public:
  static Result<Visit> To(int network);
  static Result<Visit> ToNew();  // a namespace made for this visit; it dies with its last holder

  Visit(Visit&& other) noexcept : home_(std::move(other.home_)) {}
  Visit& operator=(Visit&&) = delete;
  ~Visit();

 private:
  explicit Visit(UniqueFd home) : home_(std::move(home)) {}
  static Result<UniqueFd> OpenHome();

  UniqueFd home_;
};

}  // namespace viv::network
