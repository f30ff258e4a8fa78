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
class Patience {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kMoment = std::chrono::microseconds(150);

  bool LooksOn() const { return doubt_ < kDoubtToStop; }
  // Until something came and, after a sleep, was served.
  void Waited(Duration time) {
    const bool would_find = time < kMoment + kWaking;
    doubt_ = would_find ? std::max(doubt_ - kTrustOnFinding, 0) : std::min(doubt_ + 1, kDoubtMax);
  }

 private:
  static constexpr Duration kWaking = std::chrono::microseconds(100);
  // Time that nobody else wants is well spent even if every third look alone finds something. Of a
  // TLS handshake every other one does.
  static constexpr int kTrustOnFinding = 2;
  static constexpr int kDoubtToStop = 8;
  static constexpr int kDoubtMax = 16;
  int doubt_ = kDoubtMax;
};

// Whether this machine has time to spare: its processors idled, or would have but for our looking
// on. Where they are all busy, to look on takes the processor from the very one whose message is
// awaited.
class SpareTime {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kWindow = std::chrono::milliseconds(200);

  bool Any() const { return any_; }
  bool IsUnknown(Clock::time_point now) const { return now - seen_at_ >= kWindow; }
  // `idle` is what all processors together have idled so far.
  void See(Clock::time_point now, Clock::duration idle) {
    const Clock::duration time = now - seen_at_, spare = idle - idle_ + looked_on_;
    any_ = time < kForgottenAfter && spare * kShare >= time;
    seen_at_ = now;
    idle_ = idle;
    looked_on_ = {};
  }
  void LookedOn(Clock::duration time) { looked_on_ += time; }

 private:
  static constexpr Clock::duration kForgottenAfter = std::chrono::seconds(1);
  static constexpr int kShare = 4;  // a quarter of one processor
  Clock::time_point seen_at_;
  Clock::duration idle_{}, looked_on_{};
  bool any_ = false;
};

// Until the context is stopped or has no more work. Exceptions of handlers pass through, as with
// run(); one may call it again then.
void RunPatiently(asio::io_context& context);

}  // namespace viv
