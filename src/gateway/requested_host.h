#pragma once
// The host of a request, as its Host header or :authority gives it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::gateway {

struct RequestedHost {
  std::string host;                   // lower case, without brackets and trailing dot
  std::optional<std::uint16_t> port;  // if it is given
};

// Nothing if two parsers could read it differently: user names, two ports, or other characters than
// those of names and addresses.
std::optional<RequestedHost> ReadRequestedHost(std::string_view authority);

}  // namespace viv::gateway
