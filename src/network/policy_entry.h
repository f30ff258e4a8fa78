#pragma once
// One parsed entry of a policy's lists: an address, a block, a host, a glob of hosts or a regular
// expression. All but blocks and expressions may have a port.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "network/address.h"

namespace viv::network {

struct AddressBlock {
  Address prefix;
  std::uint8_t bits = 128;  // counted from 128
  bool everything = false;  // "0.0.0.0/0", which includes IPv6
  std::uint16_t port = 0;   // 0: every port, as in all entries

  bool Contains(const Address& address) const;
  std::string Text() const;  // "10.0.0.0/8", "192.0.2.1:443"
};

struct PolicyEntry {
  enum class Kind {
    kBlock,        // also a single address
    kHost,         // "example.com"
    kSubdomains,   // "*.example.com": `text` is "example.com", which does not match itself
    kGlob,         // "api-*.example.com", "*"
    kAddressGlob,  // "10.0.*": digits, dots and stars only; it matches no names
    kRegex         // "~.*\.example\.com": `text` is the expression
  };
  Kind kind = Kind::kHost;
  std::string text;  // lower case, without a trailing dot
  AddressBlock block;
  std::uint16_t port = 0;
};

// kInvalidArgument says what is wrong with the entry, without repeating it.
Result<PolicyEntry> ParsePolicyEntry(std::string_view entry);

// Whether it is a host name. A last label of digits only would be a malformed address.
bool IsHostName(std::string_view name);
std::string_view WithoutTrailingDot(std::string_view name);

}  // namespace viv::network
