#pragma once
// What a stream of the tunnel is for: its first three bytes, a version and a port, say where in the
// box it leads; one byte answers; then bytes are carried both ways until each has ended.

#include <functional>
#include <memory>

#include "agent/dataplane/yamux_stream.h"
#include "base/task.h"

namespace viv::agent {

// Starts a task that ends with the tunnel at the latest.
using SpawnTask = std::function<void(Task<void>)>;

Task<void> ServeTunnelStream(std::shared_ptr<YamuxStream> stream, SpawnTask spawn);

}  // namespace viv::agent
