#pragma once
// A SOCKS5 client (RFC 1928, 1929), for boxes whose connections go through a proxy of their owner.

#include <chrono>
#include <cstdint>
#include <string>

#include "base/task.h"
#include "network/stream.h"

namespace viv::network {

struct SocksProxy {
  std::string host;  // a name or an address
  std::uint16_t port = 1080;
  std::string username, password;  // both empty: no authentication; at most 255 bytes each

  bool operator==(const SocksProxy&) const = default;
};

inline constexpr std::chrono::milliseconds kSocksTimeout{10'000};  // for the whole negotiation

// Negotiates on a connection to the proxy. Afterwards its bytes are those of the destination's port
// at `host`, which the proxy resolves, or at the destination's address if `host` is empty.
// kUnavailable repeats what the proxy replied. Nothing after the proxy's reply has been read.
Task<Status> ConnectThroughSocks(Stream& connection,
                                 const SocksProxy& proxy,
                                 std::string host,
                                 Endpoint destination,
                                 std::chrono::milliseconds timeout = kSocksTimeout);

}  // namespace viv::network
