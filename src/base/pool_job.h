#pragma once
// A piece of work that a pool's thread runs for a coroutine, which waits for it. The types of work
// and result stay out of the waiting: each would cost the compiler an Asio operation of its own.

#include <functional>
#include <memory>

#include "base/task.h"

namespace viv {

class PoolJob {
 public:
  virtual ~PoolJob() = default;
  virtual void Run() = 0;  // once; then the coroutine resumes on its own executor
};

// Hands `submit` a job that runs `work`, and returns when a thread has run it. The wait cannot be
// cancelled, and both live until it ends.
using SubmitJob = std::function<void(std::unique_ptr<PoolJob>)>;
Task<void> RunAsJob(const std::function<void()>& work, const SubmitJob& submit);

}  // namespace viv
