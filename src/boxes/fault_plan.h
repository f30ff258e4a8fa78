#pragma once
// Says which operation of a test's fakes fails, or waits. All fakes of a test share one plan and
// count their operations in it, so a test can repeat the same work and let step 1, 2, 3, … of it
// fail. Test code. Thread-safe.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace viv::boxes {

class FaultPlan {
 public:
  // Counting begins anew with each of these; step 1 is the next operation, 0 means none.
  void FailAt(std::size_t step) { Begin(step, 0, {}, 0); }
  void HoldAt(std::size_t step) { Begin(0, step, {}, 0); }
  // Calls `visit` just before the step.
  void VisitAt(std::size_t step, std::function<void()> visit) {
    Begin(0, 0, std::move(visit), step);
  }
  void Clear() { Begin(0, 0, {}, 0); }

  // The fakes call this at the beginning of each operation.
  Status Take(std::string_view operation) {
    std::unique_lock lock(mutex_);
    operations_.emplace_back(operation);
    const std::size_t step = operations_.size();
    if (step == visit_at_) {
      const std::function<void()> visit = visit_;
      lock.unlock();
      visit();
      lock.lock();
    }
    if (step == hold_at_) {
      is_held_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !is_held_; });
    }
    if (step != fail_at_) return {};
    failed_ = operation;
    return Fail(ErrorCode::kUnavailable, "fault at step " + std::to_string(step) + ": " + failed_);
  }

  void WaitUntilHeld() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_held_; });
  }
  void LetGo() {
    std::lock_guard lock(mutex_);
    is_held_ = false;
    hold_at_ = 0;
    changed_.notify_all();
  }

  std::size_t steps() const {
    std::lock_guard lock(mutex_);
    return operations_.size();
  }
  std::string failed() const {  // the operation that failed; empty: none
    std::lock_guard lock(mutex_);
    return failed_;
  }

 private:
  void Begin(std::size_t fail_at,
             std::size_t hold_at,
             std::function<void()> visit,
             std::size_t visit_at) {
    std::lock_guard lock(mutex_);
    operations_.clear();
    failed_.clear();
    fail_at_ = fail_at;
    hold_at_ = hold_at;
    visit_ = std::move(visit);
    visit_at_ = visit_at;
  }

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<std::string> operations_;
  std::string failed_;
  std::function<void()> visit_;
  std::size_t fail_at_ = 0, hold_at_ = 0, visit_at_ = 0;
  bool is_held_ = false;
};

}  // namespace viv::boxes
