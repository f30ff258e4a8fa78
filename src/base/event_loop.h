#pragma once
// Runs an event loop that answers at once while it is in a conversation. To wake a sleeping thread
// takes tens of microseconds on a virtual machine, as long as to pass on a message; so before the
// loop sleeps it looks on for a moment: where it turned out of late that mostly more comes within
// that moment, and where nobody else needed the processor meanwhile.

#include <algorithm>
#include <chrono>

#include <boost/asio/io_context.hpp>

namespace viv {

namespace asio = boost::asio;

// Whether looking on pays.
class Patience {
 public:
  using Duration = std::chrono::steady_clock::duration;
  static constexpr Duration kMoment = std::chrono::microseconds(150);

  bool LooksOn() const { return doubt_ < kDoubtToStop; }
  // Until something came and, after a sleep, was served.
  void Waited(Duration time) {
    const bool would_find = time < kMoment + kWaking;
    if (would_find && doubt_ > 0) --doubt_;
    if (!would_find && doubt_ < kDoubtMax) doubt_ = std::min(doubt_ + kDoubtInVain, kDoubtMax);
  }
  void WasInTheWay() { doubt_ = kDoubtMax + kWaitsAmongOthers; }  // of other threads

 private:
  static constexpr Duration kWaking = std::chrono::microseconds(100);
  // To look on in vain takes as long as three wakings, and keeps others from the processor.
  static constexpr int kDoubtInVain = 3;
  static constexpr int kDoubtToStop = 4;
  static constexpr int kDoubtMax = 12;
  static constexpr int kWaitsAmongOthers = 50;
  int doubt_ = kDoubtMax;
};

// Until the context is stopped or has no more work. Exceptions of handlers pass through, as with
// run(); one may call it again then.
void RunPatiently(asio::io_context& context);

}  // namespace viv
