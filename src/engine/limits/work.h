#pragma once
// The budget of a call. SQLite checks between its instructions whether to continue, but a single
// function or sort can take long: so functions charge each byte they process to the budget of the
// thread that runs them, and so does every larger allocation of SQLite. A budget that is exhausted,
// late or cancelled ends the statement, whatever it is doing.
//
// Work belongs to one thread and is found through it: a function of SQLite has no other way to the
// call it serves. Scopes nest; what is done in the inner one counts for the outer one as well,
// whose end is the inner one's end, too.

#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "db/memory_limit.h"

namespace viv::engine {

struct WorkLimits {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t steps_max = kNone;         // instructions of SQLite's machine
  std::int64_t bytes_max = kNone;         // that functions look at or write
  std::int64_t memory_bytes_max = kNone;  // that statements hold at once
  std::optional<std::chrono::milliseconds> time_max = std::nullopt;
};

class Work {
 public:
  using Flag = const std::atomic<bool>*;  // becomes true when the call is cancelled; may be null

  explicit Work(const WorkLimits& limits, Flag cancelled = nullptr, Flag also_cancelled = nullptr);

  bool SpendSteps(std::int64_t steps);  // false: end now
  bool SpendBytes(std::size_t bytes);   // the same; looks at the clock now and then
  bool Check();                         // the same; looks at the clock
  bool ended() const { return ended_ || (outer_ != nullptr && outer_->ended()); }

 private:
  friend class WorkScope;
  void CheckClockAndFlags();

  WorkLimits limits_;
  Flag cancelled_;
  Flag also_cancelled_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::int64_t steps_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t check_at_ = 0;  // of bytes_
  bool ended_ = false;
  Work* outer_ = nullptr;
};

// Makes `work` the budget of the calling thread while it lives.
class WorkScope {
 public:
  explicit WorkScope(Work& work);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  Work* outer_;
  db::MemoryLimit memory_;
};

// Suspends the thread's limits while it lives, for what must not fail: rolling back.
class WithoutLimits {
 public:
  WithoutLimits();
  ~WithoutLimits();
  WithoutLimits(const WithoutLimits&) = delete;
  WithoutLimits& operator=(const WithoutLimits&) = delete;

 private:
  Work* outer_;
  db::WithoutMemoryLimit memory_;
};

Work* CurrentWork();  // the thread's budget; null if it has none

// For functions: charges the thread's work. False: the function must return at once, with any
// error.
bool ChargeWork(std::size_t bytes);
bool CheckWork();  // the same where a step's cost is unknown: looks at the clock

// Charges in pieces, for loops that count their steps one by one.
class WorkCounter {
 public:
  bool Step() { return (++steps_ & kMask) != 0 || ChargeWork(kMask + 1); }

 private:
  static constexpr std::size_t kMask = 0xFFFF;
  std::size_t steps_ = 0;
};

// From now on the connection's statements are limited by the budget of the thread that runs them.
void InstallWorkLimits(sqlite3* handle);

}  // namespace viv::engine
