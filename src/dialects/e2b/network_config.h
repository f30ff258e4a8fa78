#pragma once
// The network settings of a sandbox as E2B writes them: what it may reach (allowOut, denyOut,
// allow_internet_access), what is added to its requests (rules), its proxy (egressProxy), and how
// its own ports are reached (allowPublicTraffic, maskRequestHost, httpsPorts).

#include <optional>

#include "base/json.h"
#include "boxes/boxes.h"
#include "dialects/e2b/account_sealer.h"
#include "http/fields.h"

namespace viv::e2b {

inline constexpr std::uint16_t kAgentPort = 49983;

// Reads the egress settings from `fields` and replaces those of `network`; the ingress settings
// stay. `internet` is the value of allow_internet_access, if given. Errors are recorded in
// `fields`.
void ReadEgress(http::Fields& fields,
                std::optional<bool> internet,
                const AccountSealer& sealer,
                boxes::BoxNetwork& network);

// Reads the egress and the ingress settings.
boxes::BoxNetwork ReadNetwork(http::Fields& fields,
                              std::optional<bool> internet,
                              const AccountSealer& sealer);

// As sandbox details show it; null when all settings are the defaults.
json::value ShowNetwork(const boxes::BoxNetwork& network);

// "localhost:${PORT}" for a port.
std::string MaskedHost(const std::string& mask, std::uint16_t port);

}  // namespace viv::e2b
