#pragma once
// Passes runs from requests, on any thread, to the one coroutine that executes them. It has only
// their ids: the runs are recorded, so that after a crash the next start finds them.

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace viv::recoup {

class RunQueue {
 public:
  void Push(std::string id) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(id));
    if (wake_) wake_();
  }
  std::vector<std::string> Take() {
    std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }
  // Called under the lock after each push, on the pusher's thread: it must be quick. nullptr: none.
  void SetWake(std::function<void()> wake) {
    std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

 private:
  std::mutex mutex_;  // guards the two below
  std::vector<std::string> waiting_;
  std::function<void()> wake_;
};

}  // namespace viv::recoup
