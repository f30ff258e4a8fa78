#pragma once
// The nft rules of a box's namespace: TCP goes to the door kTcpDoor, DNS to kDnsDoor, traffic of
// the box with itself is left alone, and everything else is refused at once.

#include "base/result.h"

namespace viv::network {

// Installs the rules in the calling thread's network namespace, which must have none yet.
Status InstallRedirect();

}  // namespace viv::network
