#include "base/event_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/unique_fd.h"

namespace viv {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Reads how long all processors of this machine together have idled since boot.
class IdleClock {
 public:
  SteadyClock::duration Read() const {
    char text[64] = "";
    double idle = 0;
    if (::pread(file_.get(), text, sizeof text - 1, 0) <= 0) return {};
    if (std::sscanf(text, "%*f %lf", &idle) != 1) return {};
    return std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(idle));
  }

 private:
  UniqueFd file_{::open("/proc/uptime", O_RDONLY | O_CLOEXEC)};
};

// Polls until a handler has run or kSpinMax is over. True when a handler has run.
bool BusyPoll(asio::io_context& context, SteadyClock::time_point since, CpuHeadroom& headroom) {
  auto now = since;
  bool found = false;
  while (!found && !context.stopped() && now - since < SpinHistory::kSpinMax) {
    now = SteadyClock::now();
    found = context.poll() > 0;
  }
  headroom.AddSpinTime(now - since);
  return found;
}

}  // namespace

void RunWithBusyPoll(asio::io_context& context) {
  const IdleClock idle;
  SpinHistory history;
  CpuHeadroom headroom;
  while (!context.stopped()) {
    context.poll();
    const auto since = SteadyClock::now();
    if (history.ShouldSpin() && headroom.IsStale(since)) headroom.Update(since, idle.Read());
    const bool spins = history.ShouldSpin() && headroom.Available();
    if (!spins || !BusyPoll(context, since, headroom)) context.run_one();
    history.RecordWait(SteadyClock::now() - since);
  }
}

}  // namespace viv
