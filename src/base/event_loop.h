#pragma once
// Runs an event loop that answers at once while it is in a conversation. To wake a sleeping thread
// takes tens of microseconds on a virtual machine, as long as to pass on a message; so before the
// loop sleeps it looks on for a moment: where it turned out of late that often more comes within
// that moment, and as long as processors are idle anyway.

#include <algorithm>
#include <chrono>

#include <boost/asio/io_context.hpp>

namespace viv {

namespace asio = boost::asio;

// Whether looking on finds something.
class SpinHistory {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kSpinMax = std::chrono::microseconds(150);

  bool ShouldSpin() const { return misses_ < kMissesToStop; }
  // Until something came and, after a sleep, was served.
  void RecordWait(Duration time) {
    const bool would_hit = time < kSpinMax + kWakeupMax;
    misses_ = would_hit ? std::max(misses_ - kHitCredit, 0) : std::min(misses_ + 1, kMissesMax);
  }

 private:
  static constexpr Duration kWakeupMax = std::chrono::microseconds(100);
  // Time that nobody else wants is well spent even if every third look alone finds something. Of a
  // TLS handshake every other one does.
  static constexpr int kHitCredit = 2;
  static constexpr int kMissesToStop = 8;
  static constexpr int kMissesMax = 16;
  int misses_ = kMissesMax;
};

// Whether this machine has time to spare: its processors idled, or would have but for our looking
// on. Where they are all busy, to look on takes the processor from the very one whose message is
// awaited.
class CpuHeadroom {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kSampleInterval = std::chrono::milliseconds(200);

  bool Available() const { return available_; }
  bool IsStale(Clock::time_point now) const { return now - sampled_at_ >= kSampleInterval; }
  // `idle` is what all processors together have idled so far.
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

// Until the context is stopped or has no more work. Exceptions of handlers pass through, as with
// run(); one may call it again then.
void RunWithBusyPoll(asio::io_context& context);

}  // namespace viv
