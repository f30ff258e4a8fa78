#pragma once
// What a box may reach. An entry of a list is
//   a host ("example.com"), "*.example.com" (not example.com itself), another glob ("*" is any run
//   of characters, so that "*" alone is every host), an IPv4 address, or "[IPv6]", each of which
//   may end in ":port"; an IPv6 address; a CIDR block; or "~" and a regular expression of whole
//   hosts.
// Without a port an entry is for every port. A host is the name the guest asked for, in any case
// and without a trailing dot, or the address itself when it asked for none; addresses and blocks
// are for what is connected to, whatever its name. Allow wins over deny. Private, loopback,
// link-local and metadata addresses are refused before any list, unless the operator opened them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/address.h"
#include "network/policy_list.h"

namespace viv::network {

struct Policy {
  std::vector<std::string> allow;
  std::vector<std::string> deny;  // "0.0.0.0/0" is everything, and so is "*"
  bool internet = true;           // false: all is denied but what `allow` names

  bool operator==(const Policy&) const = default;
};

inline constexpr std::size_t kPolicyEntriesMax = 10'000;  // of both lists together

// The plain kinds: no port, and no pattern but "*.name". All other entries are kOther here.
enum class EntryKind { kAddress, kBlock, kName, kOther };
EntryKind KindOf(std::string_view entry);

// A match, and what decided: "allow *.example.com", "deny 0.0.0.0/0", "no internet" or
// "default".
struct Decision {
  bool allowed = false;
  std::string rule;
};

// The policy ready for decisions. Immutable; a new policy is a new object.
class Rules {
 public:
  // kInvalidArgument names the entry that cannot be read, and why.
  static Result<Rules> Compile(const Policy& policy);

  // `name` is what the guest resolved to get this address; empty when it used the address itself.
  bool Allows(std::string_view name, const Address& address, std::uint16_t port) const;
  bool Allows(std::string_view name, std::string_view address, std::uint16_t port) const;
  Decision Decide(std::string_view name, const Address& address, std::uint16_t port) const;
  // Whether any entry goes by names, and whether one is for this host (lower case) on this port.
  bool HasNameEntries() const { return has_name_entries_; }
  bool HasEntryForHost(std::string_view host, std::uint16_t port) const;
  // Whether a connection to some port of this address might be allowed, as far as its name does not
  // matter.
  bool AllowsSomePort(const Address& address) const;
  // Whether a question for this name may be answered at all: where all is denied only names that an
  // entry allows, on whatever port, are, since a question for any other would carry data out; and
  // what is denied on every port is not.
  bool MayResolve(std::string_view name) const { return DecideQuestion(name).allowed; }
  Decision DecideQuestion(std::string_view name) const;

  std::size_t bytes() const { return allow_.bytes() + deny_.bytes(); }

 private:
  enum class By { kDefault, kAllow, kDeny, kNoInternet };
  struct RuleMatch {
    By by = By::kDefault;
    PolicyList::Found entry;

    bool allowed() const { return by == By::kDefault || by == By::kAllow; }
  };
  RuleMatch Match(std::string_view host,
                  const Address& address,
                  PortFilter allow,
                  PortFilter deny) const;
  RuleMatch MatchQuestion(std::string_view host) const;
  Decision Explain(const RuleMatch& match) const;

  PolicyList allow_, deny_;
  bool internet_ = true;
  bool has_name_entries_ = false;
};

// Loopback, private, link-local, metadata, multicast and other addresses that are never dialled;
// also what is no address at all.
bool IsPrivateAddress(std::string_view address);
// Where clouds hand out the machine's own credentials, and all else that is link-local; also what
// is no address at all.
bool IsMetadataAddress(std::string_view address);

}  // namespace viv::network
