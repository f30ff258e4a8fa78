#include "accounts/request_limiter.h"

#include <algorithm>
#include <functional>

namespace viv::accounts {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kNeverNs = INT64_MAX;

}  // namespace

RequestLimiter::~RequestLimiter() {
  for (std::atomic<Bucket*>& chain : chains_) {
    for (Bucket* bucket = chain.load(); bucket != nullptr;) {
      std::unique_ptr<Bucket> owned(bucket);
      bucket = owned->next;
    }
  }
}

std::atomic<RequestLimiter::Bucket*>& RequestLimiter::ChainOf(std::string_view account_id) {
  return chains_[std::hash<std::string_view>()(account_id) % kChains];
}

RequestLimiter::Bucket* RequestLimiter::FindIn(Bucket* chain, std::string_view account_id) {
  while (chain != nullptr && chain->account_id != account_id) chain = chain->next;
  return chain;
}

void RequestLimiter::SetLimit(std::string_view account_id,
                              std::optional<std::int64_t> requests_per_second) {
  std::lock_guard lock(add_mutex_);
  std::atomic<Bucket*>& chain = ChainOf(account_id);
  Bucket* bucket = FindIn(chain.load(), account_id);
  if (bucket == nullptr) {
    if (!requests_per_second) return;
    auto made = std::make_unique<Bucket>(account_id);
    made->next = chain.load();
    bucket = made.release();
    chain.store(bucket);
  }
  std::int64_t interval_ns = 0;
  if (requests_per_second) {
    const std::int64_t rate = std::min(*requests_per_second, kSecondNs);
    interval_ns = rate <= 0 ? kNeverNs : kSecondNs / rate;
  }
  bucket->full_at_ns.store(0);
  bucket->interval_ns.store(interval_ns);
  has_limits_.store(true);
}

std::optional<std::int64_t> RequestLimiter::Admit(std::string_view account_id,
                                                  std::int64_t now_ns) {
  if (!has_limits_.load(std::memory_order_acquire)) return std::nullopt;
  Bucket* bucket = FindIn(ChainOf(account_id).load(std::memory_order_acquire), account_id);
  if (bucket == nullptr) return std::nullopt;
  const std::int64_t interval_ns = bucket->interval_ns.load(std::memory_order_acquire);
  if (interval_ns == 0) return std::nullopt;
  if (interval_ns == kNeverNs) return kSecondNs;
  std::int64_t full_at_ns = bucket->full_at_ns.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t after_ns = std::max(full_at_ns, now_ns) + interval_ns;
    // A second's worth may come at once, and one request always may.
    const std::int64_t over_ns = after_ns - now_ns - std::max(kSecondNs, interval_ns);
    if (over_ns > 0) return over_ns;
    if (bucket->full_at_ns.compare_exchange_weak(full_at_ns, after_ns, std::memory_order_relaxed))
      return std::nullopt;
  }
}

}  // namespace viv::accounts
