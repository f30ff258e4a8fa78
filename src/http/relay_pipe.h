#pragma once
// A relayed connection after its upgrade: bytes both ways, each direction with an end of its own.
// Internal to this module.

#include <memory>

#include "base/task.h"
#include "http/exchange.h"
#include "http/message.h"

namespace viv::http {

Task<void> PipeUpgraded(std::shared_ptr<Exchange> exchange, ByteStream& client);

}  // namespace viv::http
