#include "base/event_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "base/unique_fd.h"

namespace viv {
namespace {

using SteadyClock = std::chrono::steady_clock;

// What the processors of this machine have idled since it started, together.
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

// Whether something came, and was served.
bool LookOn(asio::io_context& context, SteadyClock::time_point since) {
  do {
    if (context.poll() > 0) return true;
  } while (!context.stopped() && SteadyClock::now() - since < Patience::kMoment);
  return false;
}

}  // namespace

void RunPatiently(asio::io_context& context) {
  const IdleClock idle;
  Patience patience;
  SpareTime spare;
  while (!context.stopped()) {
    context.poll();
    const auto since = SteadyClock::now();
    if (patience.LooksOn() && spare.IsUnknown(since)) spare.See(since, idle.Read());
    if (patience.LooksOn() && spare.Any()) {
      const bool found = LookOn(context, since);
      const auto time = SteadyClock::now() - since;
      spare.LookedOn(time);
      if (found) {
        patience.Waited(time);
        continue;
      }
    }
    context.run_one();
    patience.Waited(SteadyClock::now() - since);
  }
}

}  // namespace viv
