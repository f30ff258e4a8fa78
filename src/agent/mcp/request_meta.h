#pragma once
// What differs between the two eras of MCP in one message. The older begins with a handshake, in
// which both sides say who they are; in the modern one every request says so itself, in reserved
// members of `_meta`, and a server of one era refuses the other's. All work on texts, so that the
// rest of a message stays as it was written.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::agent {

inline constexpr std::int64_t kDiscoverNumber = -1;  // the id of our own server/discover

// The params with the members that the modern era requires; those the caller gave stay. Params may
// be empty: there are none.
std::string WithRequestMeta(std::string params);
// The params without those members.
std::string WithoutRequestMeta(std::string params);

// Our own `server/discover`, and from its result what the handshake would have given. Nothing when
// the server does not speak the modern revision either.
std::string DiscoverLine();
std::optional<std::string> InitializeResultOfDiscovery(std::string_view result,
                                                       std::string_view name);

// A result that is no response yet asks for input instead.
bool IsCompleteResult(std::string_view result);

// Severities, from 0 for "debug" up. The level of a message, 0 when it says none; and the level
// from which on a modern request wants to hear messages: by default none at all.
inline constexpr int kNoLogLevel = 1000;
int LogLevelOf(const json::value& message_params);
int LogLevelIn(const json::value& request_params);

}  // namespace viv::agent
