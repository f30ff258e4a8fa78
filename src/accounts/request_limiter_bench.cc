// What counting a request costs: without any limit, with a limit of somebody else's, and with the
// account's own, by one thread and by several at once.

#include <benchmark/benchmark.h>

#include <chrono>

#include "accounts/request_limiter.h"

namespace viv::accounts {
namespace {

RequestLimiter& LimiterFor(int kind) {
  static RequestLimiter limiters[3];
  static const bool ready = [] {
    for (int i = 0; i < 1000; ++i) limiters[1].SetLimit("account-" + std::to_string(i), 1);
    limiters[2].SetLimit("default", 1'000'000'000);
    return true;
  }();
  benchmark::DoNotOptimize(ready);
  return limiters[kind];
}

void BM_Admit(benchmark::State& state) {
  RequestLimiter& limiter = LimiterFor(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    benchmark::DoNotOptimize(limiter.Admit("default", now.count()));
  }
}
BENCHMARK(BM_Admit)->ArgName("limits: none, others, own")->DenseRange(0, 2)->ThreadRange(1, 4);

}  // namespace
}  // namespace viv::accounts
