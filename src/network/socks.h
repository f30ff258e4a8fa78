#pragma once
// SOCKS5 (RFC 1928, 1929) as a client: connections of a box that go out through a proxy of its
// owner's.

#include <chrono>
#include <cstdint>
#include <string>

#include "base/task.h"
#include "network/stream.h"

namespace viv::network {

struct SocksProxy {
  std::string host;  // a name or an address
  std::uint16_t port = 1080;
  std::string username, password;  // both empty: none; 255 bytes each at most

  bool operator==(const SocksProxy&) const = default;
};

inline constexpr std::chrono::milliseconds kSocksTimeout{10'000};  // for all of the asking

// Over a connection to the proxy: from now on its bytes are those of the destination's port at
// `host`, a name that the proxy resolves, or at the destination's address when there is no name.
// kUnavailable says what the proxy said. Afterwards nothing beyond its answer was read.
Task<Status> ConnectThroughSocks(Stream& connection,
                                 const SocksProxy& proxy,
                                 std::string host,
                                 Endpoint destination,
                                 std::chrono::milliseconds timeout = kSocksTimeout);

}  // namespace viv::network
