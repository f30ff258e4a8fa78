#pragma once
// Runs an event loop that polls for a short time before it sleeps. On a virtual machine it takes
// tens of microseconds to wake a sleeping thread, as long as it takes to pass on a message. The
// loop polls only while polling has recently found events, and while processors idle anyway.

#include <algorithm>
#include <chrono>

#include <boost/asio/io_context.hpp>

namespace viv {

namespace asio = boost::asio;

// Remembers how often busy polling would have found an event.
class SpinHistory {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kSpinMax = std::chrono::microseconds(150);

  bool ShouldSpin() const { return misses_ < kMissesToStop; }
  // `time` passed until an event came and, after a sleep, was handled.
  void RecordWait(Duration time) {
    const bool would_hit = time < kSpinMax + kWakeupMax;
    misses_ = would_hit ? std::max(misses_ - kHitCredit, 0) : std::min(misses_ + 1, kMissesMax);
  }

 private:
  static constexpr Duration kWakeupMax = std::chrono::microseconds(100);
  // Idle processor time is well spent even if only every third poll finds an event. During a TLS
  // handshake every other poll does.
  static constexpr int kHitCredit = 2;
  static constexpr int kMissesToStop = 8;
  static constexpr int kMissesMax = 16;
  int misses_ = kMissesMax;
};

// Whether processors of this machine idle, or would idle but for our own polling. Where they are
// all busy, polling takes processor time from the very process whose message the loop waits for.
class CpuHeadroom {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kSampleInterval = std::chrono::milliseconds(200);

  bool Available() const { return available_; }
  bool IsStale(Clock::time_point now) const { return now - sampled_at_ >= kSampleInterval; }
  // `idle` is the time that all processors together have idled since boot.
  void Update(Clock::time_point now, Clock::duration idle) {
    const Clock::duration time = now - sampled_at_, headroom = idle - idle_ + spun_;
    available_ = time < kSampleAgeMax && headroom * kShare >= time;
    sampled_at_ = now;
    idle_ = idle;
    spun_ = {};
  }
  void AddSpinTime(Clock::duration time) { spun_ += time; }

 private:
  static constexpr Clock::duration kSampleAgeMax = std::chrono::seconds(1);
  static constexpr int kShare = 4;  // a quarter of one processor
  Clock::time_point sampled_at_;
  Clock::duration idle_{}, spun_{};
  bool available_ = false;
};

// Runs the context until it is stopped or has no more work. An exception of a handler passes
// through, as with run(); the caller may call this function again then.
void RunWithBusyPoll(asio::io_context& context);

}  // namespace viv
