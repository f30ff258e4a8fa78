#pragma once
// The network part of a sandbox as E2B writes it: what it may reach (allowOut, denyOut,
// allow_internet_access) and how its own ports are reached (allowPublicTraffic, maskRequestHost,
// httpsPorts).

#include "base/json.h"
#include "http/fields.h"
#include "sandbox/boxes.h"

namespace viv::e2b {

inline constexpr std::uint16_t kAgentPort = 49983;

// Of the object `fields` reads; a mistake is refused there. Header rules and an egress proxy are
// refused too, since the network here does neither.
network::Policy ReadEgress(http::Fields& fields, bool internet);

// `egress` and the way in, which a later update leaves as it is.
sandbox::BoxNetwork ReadNetwork(http::Fields& fields, bool internet);

// As sandbox details show it; null when all is as it is without any setting.
json::value ShowNetwork(const sandbox::BoxNetwork& network);

// "localhost:${PORT}" for a port.
std::string MaskedHost(const std::string& mask, std::uint16_t port);

}  // namespace viv::e2b
