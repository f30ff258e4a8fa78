#pragma once
// The revisions of MCP that we speak, and what differs between them on the wire. The older ones
// begin with a handshake; the modern one has none: every request says what it needs, and every
// result says of which type it is.

#include <string>
#include <string_view>

#include "base/json.h"

namespace viv::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::string_view kLatestHandshake = "2025-11-25";
inline constexpr std::string_view kBatchVersion = "2025-03-26";  // the one that has batches

bool IsHandshakeVersion(std::string_view version);
bool IsKnownVersion(std::string_view version);
json::array KnownVersions();

// The revision to answer an `initialize` with that asked for `asked`.
std::string_view NegotiatedVersion(std::string_view asked);

// The text of a result object as the modern revision has it; one that names its type stays.
std::string AsModernResult(std::string result_json);

}  // namespace viv::mcp
