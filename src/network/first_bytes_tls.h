#pragma once
// A TLS ClientHello, which may come in several records. Internal to first_bytes.cc.

#include <string_view>

#include "network/first_bytes.h"

namespace viv::network {

// Of bytes that begin with a handshake record's type.
FirstBytes ParseTlsFirstBytes(std::string_view bytes);

}  // namespace viv::network
