#pragma once
// An IP address as bytes. IPv4 is stored as IPv4-mapped IPv6, so both forms of one address are
// equal and nobody can get around a list by writing an address differently.

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
  // The IPv4 address that a translator (NAT64, 6to4) would extract from this IPv6 address.
  std::optional<Address> Translated() const;
  // Whether it is a loopback, private, link-local, metadata, multicast, documentation or similar
  // address.
  bool IsPrivate() const;
  // Whether it is link-local, or an address at which clouds serve the machine's credentials, also
  // through a translator. No setting allows these.
  bool IsMetadata() const;
  // Whether the first `bits` bits equal those of `other`. `bits` counts from 128; an IPv4 prefix
  // starts at 96.
  bool SharesPrefix(const Address& other, int bits) const;

  auto operator<=>(const Address&) const = default;
};

// Accepts no brackets, zones, ports, leading zeros or abbreviated IPv4.
std::optional<Address> ParseAddress(std::string_view text);
Address AddressFromRaw(std::string_view raw);  // `raw` has 4 or 16 bytes

struct Endpoint {
  Address address;
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

// A sockaddr of the endpoint's family, which is AF_INET for mapped addresses.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
SocketAddress ToSocketAddress(const Endpoint& endpoint);
std::optional<Endpoint> FromSocketAddress(const SocketAddress& from);

}  // namespace viv::network
