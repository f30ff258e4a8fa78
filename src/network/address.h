#pragma once
// An IP address as bytes. IPv4 is kept as IPv4-mapped IPv6, so that both forms of one address are
// the same address and no list can be passed by writing it differently.

#include <sys/socket.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::network {

struct Address {
  std::array<std::uint8_t, 16> bytes{};

  bool IsV4() const;         // mapped addresses are IPv4
  std::string Raw() const;   // 4 or 16 bytes, in network order
  std::string Text() const;  // "192.0.2.1", "2001:db8::1"
  // The IPv4 address that a translator on the way would take out of this IPv6 one (NAT64, 6to4).
  std::optional<Address> Translated() const;
  // Loopback, private, link-local, metadata, multicast, documentation and the like.
  bool IsPrivate() const;
  // Where clouds hand out the machine's own credentials, and all else that is link-local; also
  // through a translator. No setting opens these.
  bool IsMetadata() const;
  // Whether the first `bits` (of 128; an IPv4 prefix counts from 96) are those of `other`.
  bool SharesPrefix(const Address& other, int bits) const;

  auto operator<=>(const Address&) const = default;
};

// Strict: no brackets, zones, ports, leading zeros or abbreviated IPv4.
std::optional<Address> ParseAddress(std::string_view text);
Address AddressFromRaw(std::string_view raw);  // of 4 or 16 bytes

struct Endpoint {
  Address address;
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

// A sockaddr of the family that reaches the endpoint: IPv4 for mapped addresses.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
SocketAddress ToSocketAddress(const Endpoint& endpoint);
std::optional<Endpoint> FromSocketAddress(const SocketAddress& from);

}  // namespace viv::network
