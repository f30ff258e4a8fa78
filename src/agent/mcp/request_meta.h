#pragma once
// Translates a message between the two kinds of MCP revisions. The older ones begin with a
// handshake, in which both sides introduce themselves. In the modern revision every request does so
// itself, in reserved members of `_meta`. A server of one kind refuses requests of the other. All
// functions work on text, so that the rest of a message stays as it was written.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::agent {

inline constexpr std::int64_t kDiscoverNumber = -1;  // the id of our own server/discover

// The params with the members of `_meta` that the modern revision requires; members that the caller
// gave stay. Empty text means: no params.
std::string WithRequestMeta(std::string params);
// The params without these members of `_meta`.
std::string WithoutRequestMeta(std::string params);

// Our own `server/discover` request, and the InitializeResult that is built from its result.
// Nothing when the server does not speak the modern revision either.
std::string DiscoverLine();
std::optional<std::string> InitializeResultOfDiscovery(std::string_view result,
                                                       std::string_view name);

// False for a result that asks for further input.
bool IsCompleteResult(std::string_view result);

// Severities, from 0 for "debug" up. The level of a message, 0 when it says none; and the level
// from which on a modern request wants to hear messages: by default none at all.
inline constexpr int kNoLogLevel = 1000;
int LogLevelOf(const json::value& message_params);
int LogLevelIn(const json::value& request_params);

}  // namespace viv::agent
