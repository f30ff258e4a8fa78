#pragma once
// Checks which headers a rule or a callback may add to a request: none that frame it, name its host
// or are hop-by-hop, and none that could turn into another header.

#include <string_view>

namespace viv::gateway {

// Host, Content-Length, Connection, Transfer-Encoding, TE, Upgrade, Proxy-*, ...
bool IsReservedHeader(std::string_view name);
bool IsHeaderName(std::string_view name);    // a token, 256 characters at most
bool IsHeaderValue(std::string_view value);  // no CR, LF, NUL or other control but a tab

}  // namespace viv::gateway
