#pragma once
// How many requests per second each account may send: a token bucket that holds one second's worth,
// kept as the time at which it is full again (GCRA), in one atomic. Asking takes no lock; for an
// account without a limit it writes nothing. Thread-safe.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace viv::accounts {

class RequestLimiter {
 public:
  RequestLimiter() = default;
  RequestLimiter(const RequestLimiter&) = delete;
  RequestLimiter& operator=(const RequestLimiter&) = delete;
  ~RequestLimiter();

  // 0: no request at all; nullopt: as many as come.
  void SetLimit(std::string_view account_id, std::optional<std::int64_t> requests_per_second);

  // Counts a request at `now_ns` of a clock that does not go back. Nothing when it may be served,
  // else after how many nanoseconds the next one may.
  std::optional<std::int64_t> Admit(std::string_view account_id, std::int64_t now_ns);

 private:
  struct Bucket {
    explicit Bucket(std::string_view id) : account_id(id) {}
    const std::string account_id;
    Bucket* next = nullptr;                     // set before others see it
    std::atomic<std::int64_t> interval_ns = 0;  // between two requests; 0: no limit
    alignas(64) std::atomic<std::int64_t> full_at_ns = 0;
  };
  static constexpr std::size_t kChains = 1024;

  std::atomic<Bucket*>& ChainOf(std::string_view account_id);
  static Bucket* FindIn(Bucket* chain, std::string_view account_id);

  // Buckets are added in front and stay until the end, so that readers need no lock.
  std::array<std::atomic<Bucket*>, kChains> chains_ = {};
  std::atomic<bool> has_limits_ = false;
  std::mutex add_mutex_;
};

}  // namespace viv::accounts
