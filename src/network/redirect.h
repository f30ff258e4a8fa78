#pragma once
// The nft rules of a box's namespace. TCP is directed to kTcpListenerPort and DNS to
// kDnsListenerPort; traffic between the box's own addresses passes, and everything else is refused
// at once. TCP keeps its destination address (tproxy), so the kernel neither translates nor tracks
// it. DNS is translated, because replies have to come from the port that was asked.

#include "base/result.h"
#include "network/address.h"

namespace viv::network {

// Installs the rules in the calling thread's network namespace, which must have none yet.
Status InstallRedirect();

// Whether it is one of the addresses by which a box reaches itself.
bool IsBoxOwnAddress(const Address& address);

}  // namespace viv::network
