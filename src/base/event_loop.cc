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

// Whether something came, and was served, which is work and no looking on.
bool LookOn(asio::io_context& context, SteadyClock::time_point since, SpareTime& spare) {
  auto now = since;
  bool found = false;
  while (!found && !context.stopped() && now - since < Patience::kMoment) {
    now = SteadyClock::now();
    found = context.poll() > 0;
  }
  spare.LookedOn(now - since);
  return found;
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
    const bool looks_on = patience.LooksOn() && spare.Any();
    if (!looks_on || !LookOn(context, since, spare)) context.run_one();
    patience.Waited(SteadyClock::now() - since);
  }
}

}  // namespace viv
