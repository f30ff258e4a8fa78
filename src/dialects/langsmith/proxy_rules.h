#pragma once
// What a proxy rule or callback may match and set: hosts, paths and headers.

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/secret_value.h"
#include "gateway/rules/plan.h"

namespace viv::langsmith {

// Why `pattern` is no host to match: it is a bare host, or "*." and a domain somebody can register.
std::optional<std::string> MatchHostError(std::string_view pattern);
// Why no rule may set this header: it is none, or one that belongs to the connection itself.
std::optional<std::string> ProxyHeaderError(std::string_view name);
// A header that requests are to carry, from "name: value"; nothing when it is none.
std::optional<gateway::RequiredHeader> ReadMatchHeader(std::string_view text);

// The stored form of a member that lists hosts; an empty list is a mistake.
json::array StoreMatchHosts(Members& members);
// The same of {"name", "type", "value"} objects in the member `name`; `kept` is the list they
// replace.
json::array StoreProxyHeaders(Members& members,
                              std::string_view name,
                              const json::value* kept,
                              const AccountSealer& sealer,
                              WorkspaceSecrets workspace_secrets);

}  // namespace viv::langsmith
