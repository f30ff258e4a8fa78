#pragma once
// Connects on behalf of boxes: directly to the destination, or through the SOCKS proxy of the box's
// owner. The owner names the proxy, so its address has to pass the same limits as a guest's
// destinations. If a box has a proxy, no connection bypasses it.

#include <memory>
#include <string>

#include "base/task.h"
#include "network/box.h"

namespace viv::network {

// Checks that the proxy's host has addresses, and that none of them is a closed private one: the
// owner of the name decides which of them is dialled. See Egress::CheckProxy.
Task<Status> CheckProxyAddresses(Loop& loop, SocksProxy proxy);

// `name` is the host that the guest resolved. A proxy gets the name instead of the address. It is
// empty if the guest used the address.
Task<Result<Stream>> DialFor(std::shared_ptr<Box> box, Endpoint destination, std::string name);

}  // namespace viv::network
