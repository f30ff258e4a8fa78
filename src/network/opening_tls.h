#pragma once
// A TLS ClientHello, which may come in several records. Internal to opening.cc.

#include <string_view>

#include "network/opening.h"

namespace viv::network {

// Of bytes that begin with a handshake record's type.
Opening ReadTlsOpening(std::string_view bytes);

}  // namespace viv::network
