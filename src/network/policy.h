#pragma once
// What a box may reach. A list entry is an address, a CIDR block, a name or "*.name"; allow wins
// over deny, and a name is matched as the guest asked for it. Private, loopback, link-local and
// metadata addresses are refused before any list, unless the operator opened them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/address.h"

namespace viv::network {

struct Policy {
  std::vector<std::string> allow;
  std::vector<std::string> deny;  // addresses and blocks only; "0.0.0.0/0" is everything
  bool internet = true;           // false: all is denied but what `allow` names

  bool operator==(const Policy&) const = default;
};

enum class EntryKind { kAddress, kBlock, kName, kNothing };
EntryKind KindOf(std::string_view entry);

// The policy ready for decisions. Immutable; a new policy is a new object.
class Rules {
 public:
  // kInvalidArgument names the entry that cannot be read.
  static Result<Rules> Compile(const Policy& policy);

  // `name` is what the guest resolved to get this address; empty when it used the address itself.
  bool Allows(std::string_view name, std::string_view address, std::uint16_t port) const;
  bool Allows(std::string_view name, const Address& address) const;
  // Whether a question for this name may be answered at all: where all is denied only the allowed
  // names are, since a question to any other would carry data out.
  bool MayResolve(std::string_view name) const;

 private:
  struct Block {
    Address prefix;
    int bits;         // of 128
    bool everything;  // "0.0.0.0/0": IPv6 as well

    bool Contains(const Address& address) const;
  };
  static Block MakeBlock(std::string_view entry);
  bool AllowsName(std::string_view name) const;

  std::vector<Block> allowed_blocks_, denied_blocks_;
  std::vector<std::string> allowed_names_;  // lower case; "*.x" keeps its star
  bool internet_ = true;
};

// Loopback, private, link-local, metadata, multicast and other addresses that are never dialled;
// also what is no address at all.
bool IsPrivateAddress(std::string_view address);

}  // namespace viv::network
