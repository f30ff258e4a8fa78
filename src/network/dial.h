#pragma once
// How a box's connections leave this machine: straight to where they were meant to go, or through
// the proxy of the box's owner. The proxy is their word, so its address is held to the same limits
// as what a guest dials; and where there is one, nothing ever leaves beside it.

#include <memory>
#include <string>

#include "base/task.h"
#include "network/box.h"

namespace viv::network {

// Whether the proxy is somewhere, and at no address that is guarded: not one of its name's may be,
// since who owns the name decides which is dialled. See Egress::CheckProxy.
Task<Status> CheckProxyAddresses(Loop& loop, SocksProxy proxy);

// `name` is what the guest resolved, which a proxy is asked for instead of the address; empty: the
// guest used the address.
Task<Result<Stream>> DialFor(std::shared_ptr<Box> box, Endpoint destination, std::string name);

}  // namespace viv::network
