#pragma once
// The host that a request asks for, as its Host header or :authority says it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::gateway {

struct RequestedHost {
  std::string host;                   // lower case, without brackets and trailing dot
  std::optional<std::uint16_t> port;  // when it is given
};

// Nothing for what two readers could read differently: a user's name, two ports, other characters
// than those of names and addresses.
std::optional<RequestedHost> ReadRequestedHost(std::string_view authority);

}  // namespace viv::gateway
