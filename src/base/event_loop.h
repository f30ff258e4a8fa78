#pragma once
// Runs an event loop that answers at once while it is in a conversation. To wake a sleeping thread
// takes tens of microseconds on a virtual machine, as long as to pass on a message; so before the
// loop sleeps it looks on for a moment: where it turned out of late that more comes within that
// moment, and where nobody else needed the processor meanwhile.

#include <chrono>

#include <boost/asio/io_context.hpp>

namespace viv {

namespace asio = boost::asio;

// Whether looking on pays.
class Patience {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kMoment = std::chrono::microseconds(150);

  bool LooksOn() const { return misses_ < kMissesMax; }
  void Found() { misses_ = 0; }
  void FoundNothing() { ++misses_; }
  void WasInTheWay() { misses_ = kMissesMax + kSleepsAmongOthers; }  // of other threads
  // After a sleep and what it was woken for: had it looked on, it would have found that, about.
  void Slept(Duration time) {
    if (time < 2 * kMoment && misses_ > 0) --misses_;
  }

 private:
  static constexpr int kMissesMax = 4;
  static constexpr int kSleepsAmongOthers = 50;
  int misses_ = kMissesMax;
};

// Until the context is stopped or has no more work. Exceptions of handlers pass through, as with
// run(); one may call it again then.
void RunPatiently(asio::io_context& context);

}  // namespace viv
