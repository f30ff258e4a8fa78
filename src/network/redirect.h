#pragma once
// The nft rules of a box's namespace: TCP goes to the door kTcpListenerPort, DNS to
// kDnsListenerPort, traffic of the box with itself is left alone, and everything else is refused at
// once. What TCP was meant for stays the address of the connection (tproxy), so the kernel
// translates and tracks nothing of it; of DNS it does, for the answers have to come from the port
// that was asked.

#include "base/result.h"
#include "network/address.h"

namespace viv::network {

// Installs the rules in the calling thread's network namespace, which must have none yet.
Status InstallRedirect();

// Whether it is one that a box talks to itself by.
bool IsBoxOwnAddress(const Address& address);

}  // namespace viv::network
