#include "network/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include <algorithm>

#include "base/check.h"

namespace viv::network {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct Reserved {
  const char* prefix;
  int bits;  // as written, counted from 32 or 128
};

// The blocks that the IANA registries of special-purpose addresses list as not globally reachable,
// and those that clouds reserve: 169.254/16 has the metadata services, 100.64/10 carrier-grade NAT
// and more of them.
constexpr Reserved kReserved[] = {
    {"0.0.0.0", 8},
    {"10.0.0.0", 8},
    {"100.64.0.0", 10},
    {"127.0.0.0", 8},
    {"169.254.0.0", 16},
    {"172.16.0.0", 12},
    {"192.0.0.0", 24},
    {"192.0.2.0", 24},
    {"192.88.99.0", 24},
    {"192.168.0.0", 16},
    {"198.18.0.0", 15},
    {"198.51.100.0", 24},
    {"203.0.113.0", 24},
    {"224.0.0.0", 4},
    {"240.0.0.0", 4},
    // Azure's services for its machines.
    {"168.63.129.16", 32},
    // IPv6.
    {"::", 96},            // unspecified, loopback and IPv4-compatible
    {"::ffff:0:0:0", 96},  // an IPv4 address for a stateless translator
    {"64:ff9b:1::", 48},   // translation inside a site
    {"100::", 63},         // discard-only, and a dummy prefix
    {"2001::", 23},        // protocol assignments; Teredo embeds an IPv4 address of the tunnel
    {"2001:db8::", 32},    // documentation
    {"3fff::", 20},        // documentation
    {"5f00::", 16},        // segment routing
    {"fc00::", 7},         // unique local; fd00:ec2::254 is a metadata service
    {"fe80::", 10},        // link-local
    {"fec0::", 10},        // site-local
    {"ff00::", 8},         // multicast
};

constexpr Reserved kMetadata[] = {
    {"169.254.0.0", 16},   {"100.100.100.200", 32},  // Alibaba Cloud
    {"168.63.129.16", 32},                           // Azure's services for its machines
    {"192.0.0.192", 32},                             // Oracle Cloud, older machines
    {"fe80::", 10},        {"fd00:ec2::254", 128},   // AWS
};

struct ReservedBlock {
  Address prefix;
  int bits;
};

template <std::size_t kCount>
std::array<ReservedBlock, kCount> ParseBlocks(const Reserved (&blocks)[kCount]) {
  std::array<ReservedBlock, kCount> parsed;
  for (std::size_t i = 0; i < kCount; ++i) {
    auto prefix = ParseAddress(blocks[i].prefix);
    CHECK(prefix.has_value());
    parsed[i] = {*prefix, blocks[i].bits + (prefix->IsV4() ? 96 : 0)};
  }
  return parsed;
}

template <typename Blocks>
bool IsInOneOf(const Blocks& blocks, const Address& address) {
  return std::any_of(blocks.begin(), blocks.end(), [&address](const ReservedBlock& block) {
    return block.prefix.IsV4() == address.IsV4() && address.SharesPrefix(block.prefix, block.bits);
  });
}

}  // namespace

bool Address::IsV4() const {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin());
}

std::string Address::Raw() const {
  std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(IsV4() ? all.substr(12) : all);
}

std::string Address::Text() const {
  char text[INET6_ADDRSTRLEN] = "";
  std::string raw = Raw();
  inet_ntop(IsV4() ? AF_INET : AF_INET6, raw.data(), text, sizeof text);
  return text;
}

std::optional<Address> Address::Translated() const {
  static const Address nat64 = *ParseAddress("64:ff9b::");
  std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (SharesPrefix(nat64, 96)) return AddressFromRaw(all.substr(12));
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return AddressFromRaw(all.substr(2, 4));
  return std::nullopt;
}

bool Address::IsPrivate() const {
  static const auto blocks = ParseBlocks(kReserved);
  if (IsInOneOf(blocks, *this)) return true;
  auto translated = Translated();
  return translated && translated->IsPrivate();
}

bool Address::IsMetadata() const {
  static const auto blocks = ParseBlocks(kMetadata);
  if (IsInOneOf(blocks, *this)) return true;
  auto translated = Translated();
  return translated && translated->IsMetadata();
}

bool Address::SharesPrefix(const Address& other, int bits) const {
  auto whole = static_cast<std::size_t>(bits) / 8;
  if (memcmp(bytes.data(), other.bytes.data(), whole) != 0) return false;
  int rest = bits % 8;
  if (rest == 0) return true;
  return (bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0;
}

std::optional<Address> ParseAddress(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN) return std::nullopt;
  std::string closed(text);
  if (closed.find('\0') != std::string::npos) return std::nullopt;
  std::uint8_t raw[16];
  if (inet_pton(AF_INET, closed.c_str(), raw) == 1)
    return AddressFromRaw({reinterpret_cast<const char*>(raw), 4});
  if (inet_pton(AF_INET6, closed.c_str(), raw) == 1)
    return AddressFromRaw({reinterpret_cast<const char*>(raw), 16});
  return std::nullopt;
}

Address AddressFromRaw(std::string_view raw) {
  CHECK(raw.size() == 4 || raw.size() == 16);
  Address address;
  if (raw.size() == 4) std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), address.bytes.begin());
  memcpy(address.bytes.data() + 16 - raw.size(), raw.data(), raw.size());
  return address;
}

SocketAddress ToSocketAddress(const Endpoint& endpoint) {
  SocketAddress to;
  std::string raw = endpoint.address.Raw();
  if (endpoint.address.IsV4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(endpoint.port);
    memcpy(&v4.sin_addr, raw.data(), raw.size());
    memcpy(&to.storage, &v4, to.size = sizeof v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(endpoint.port);
    memcpy(&v6.sin6_addr, raw.data(), raw.size());
    memcpy(&to.storage, &v6, to.size = sizeof v6);
  }
  return to;
}

std::optional<Endpoint> FromSocketAddress(const SocketAddress& from) {
  if (from.storage.ss_family == AF_INET && from.size >= sizeof(sockaddr_in)) {
    sockaddr_in v4{};
    memcpy(&v4, &from.storage, sizeof v4);
    return Endpoint{AddressFromRaw({reinterpret_cast<const char*>(&v4.sin_addr), 4}),
                    ntohs(v4.sin_port)};
  }
  if (from.storage.ss_family == AF_INET6 && from.size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6{};
    memcpy(&v6, &from.storage, sizeof v6);
    return Endpoint{AddressFromRaw({reinterpret_cast<const char*>(&v6.sin6_addr), 16}),
                    ntohs(v6.sin6_port)};
  }
  return std::nullopt;
}

}  // namespace viv::network
