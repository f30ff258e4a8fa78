#pragma once
// Serves one stream of the tunnel. Its first three bytes, a version and a port, name a port of the
// box; one byte is the status; then bytes are copied both ways until each side has ended.

#include <functional>
#include <memory>

#include "agent/dataplane/yamux_stream.h"
#include "base/task.h"

namespace viv::agent {

// Starts a task that ends with the tunnel at the latest.
using SpawnTask = std::function<void(Task<void>)>;

Task<void> ServeTunnelStream(std::shared_ptr<YamuxStream> stream, SpawnTask spawn);

}  // namespace viv::agent
