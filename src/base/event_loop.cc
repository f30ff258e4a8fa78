#include "base/event_loop.h"

#include <sys/resource.h>

namespace viv {
namespace {

using SteadyClock = std::chrono::steady_clock;

// How often this thread was taken off its processor while it wanted to go on.
long TimesPushedAside() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

// Whether something came, and was served.
bool LookOn(asio::io_context& context, Patience& patience) {
  const long pushed_aside = TimesPushedAside();
  const auto until = SteadyClock::now() + Patience::kMoment;
  do {
    if (context.poll() > 0) return true;
  } while (!context.stopped() && SteadyClock::now() < until);
  if (TimesPushedAside() > pushed_aside) patience.WasInTheWay();
  return false;
}

}  // namespace

void RunPatiently(asio::io_context& context) {
  Patience patience;
  while (!context.stopped()) {
    context.poll();
    const auto since = SteadyClock::now();
    if (!patience.LooksOn() || !LookOn(context, patience)) context.run_one();
    patience.Waited(SteadyClock::now() - since);
  }
}

}  // namespace viv
