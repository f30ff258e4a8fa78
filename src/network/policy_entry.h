#pragma once
// One entry of a policy's lists as its author wrote it: an address or a block of them, a host name,
// a glob of hosts or a regular expression, and for all but blocks and expressions perhaps a port.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "network/address.h"

namespace viv::network {

struct AddressBlock {
  Address prefix;
  std::uint8_t bits = 128;  // of 128
  bool everything = false;  // "0.0.0.0/0": IPv6 as well
  std::uint16_t port = 0;   // 0: every port; as with all entries

  bool Contains(const Address& address) const;
  std::string Text() const;  // "10.0.0.0/8", "192.0.2.1:443"
};

struct PolicyEntry {
  enum class Kind {
    kBlock,        // also a single address
    kHost,         // "example.com"
    kSubdomains,   // "*.example.com": `text` is "example.com", which itself is not meant
    kGlob,         // "api-*.example.com", "*"
    kAddressGlob,  // "10.0.*": of digits, dots and stars; no name fits it
    kRegex         // "~.*\.example\.com": `text` is the expression
  };
  Kind kind = Kind::kHost;
  std::string text;  // lower case, without a trailing dot
  AddressBlock block;
  std::uint16_t port = 0;
};

// kInvalidArgument says what is wrong with it, without repeating it.
Result<PolicyEntry> ParsePolicyEntry(std::string_view entry);

// A host name; a last label of digits only would be a badly written address.
bool IsHostName(std::string_view name);
std::string_view WithoutTrailingDot(std::string_view name);

}  // namespace viv::network
