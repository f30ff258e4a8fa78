#pragma once
// How a process ended, in Go's words, which E2B's clients expect: "exit status 3", "signal:
// killed".

#include <sys/types.h>

#include "agent/log_ring.h"
#include "base/json.h"

namespace viv::agent {

// Of a status from waitpid: {exitCode, exited, status, error?}. A signal's exit code is -1.
json::object EndEvent(int wait_status);

void LogProcessEnd(LogRing& logs, pid_t pid, int wait_status);

}  // namespace viv::agent
