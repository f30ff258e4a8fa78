#pragma once
// The network part of a sandbox as E2B writes it: what it may reach (allowOut, denyOut,
// allow_internet_access), what is added on the way (rules) and by which way (egressProxy), and how
// its own ports are reached (allowPublicTraffic, maskRequestHost, httpsPorts).

#include <optional>

#include "base/json.h"
#include "boxes/boxes.h"
#include "dialects/e2b/account_sealer.h"
#include "http/fields.h"

namespace viv::e2b {

inline constexpr std::uint16_t kAgentPort = 49983;

// The way out, of the object `fields` reads: all of it takes the place of what was in `network`,
// whose way in stays. `internet` is what allow_internet_access says, if anything. A mistake is
// refused there.
void ReadEgress(http::Fields& fields,
                std::optional<bool> internet,
                const AccountSealer& sealer,
                boxes::BoxNetwork& network);

// The way out and the way in.
boxes::BoxNetwork ReadNetwork(http::Fields& fields,
                              std::optional<bool> internet,
                              const AccountSealer& sealer);

// As sandbox details show it; null when all is as it is without any setting.
json::value ShowNetwork(const boxes::BoxNetwork& network);

// "localhost:${PORT}" for a port.
std::string MaskedHost(const std::string& mask, std::uint16_t port);

}  // namespace viv::e2b
