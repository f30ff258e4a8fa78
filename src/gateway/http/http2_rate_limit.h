#pragma once
// Detects floods: more than a number of events within ten seconds.

#include <chrono>
#include <cstddef>

namespace viv::gateway {

class Http2RateLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit Http2RateLimit(std::size_t events_max) : events_max_(events_max) {}

  // Counts one more event and returns whether that exceeds the limit.
  bool CountExceeds(TimePoint now) {
    if (count_ == 0 || now - since_ >= std::chrono::seconds(10)) {
      since_ = now;
      count_ = 0;
    }
    return ++count_ > events_max_;
  }

 private:
  const std::size_t events_max_;
  std::size_t count_ = 0;
  TimePoint since_;
};

}  // namespace viv::gateway
