#pragma once
// Waits for a write: a coroutine that resumes on its own executor, or a thread that blocks.

#include <functional>
#include <future>
#include <memory>

#include "base/result.h"
#include "base/task.h"

namespace viv::store {

class Waiter {
 public:
  virtual ~Waiter() = default;
  virtual void Done(Status status) = 0;  // once, from any thread; does not run the waiter's code
};

// Suspends the coroutine, calls begin(waiter) and resumes it with what Done gets. The coroutine may
// be running again on another thread before `begin` returns: after handing the waiter on, `begin`
// must not touch what the coroutine owns.
Task<Status> UntilDone(const std::function<void(std::unique_ptr<Waiter>)>& begin);

class BlockingWaiter : public Waiter {
 public:
  explicit BlockingWaiter(std::promise<Status> promise) : promise_(std::move(promise)) {}
  void Done(Status status) override { promise_.set_value(std::move(status)); }

 private:
  std::promise<Status> promise_;
};

}  // namespace viv::store
