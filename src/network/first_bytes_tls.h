#pragma once
// Parses a TLS ClientHello, which may span several records. Internal to first_bytes.cc.

#include <string_view>

#include "network/first_bytes.h"

namespace viv::network {

// `bytes` begin with the type of a handshake record.
FirstBytes ParseTlsFirstBytes(std::string_view bytes);

}  // namespace viv::network
