#pragma once
// What a box may reach. An entry of a list is
//   a host ("example.com"), "*.example.com" (not example.com itself), another glob ("*" matches any
//   run of characters, so "*" alone matches every host), an IPv4 address, or "[IPv6]", each of
//   which may end in ":port"; an IPv6 address; a CIDR block; or "~" and a regular expression that
//   matches whole hosts.
// An entry without a port matches every port. The host of a connection is the name that the guest
// resolved, in any case and without a trailing dot, or the address if it resolved none. Addresses
// and blocks match the address that is dialled, whatever its name. Allow wins over deny. Private,
// loopback, link-local and metadata addresses are refused before any list, unless the operator
// opened them.

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
  std::vector<std::string> deny;  // "0.0.0.0/0" and "*" match everything
  bool internet = true;           // false: everything that `allow` does not match is denied

  bool operator==(const Policy&) const = default;
};

inline constexpr std::size_t kPolicyEntriesMax = 10'000;  // of both lists together

// The plain kinds of entries: without a port, and without a pattern except "*.name". All other
// entries are kOther.
enum class EntryKind { kAddress, kBlock, kName, kOther };
EntryKind KindOf(std::string_view entry);

// Whether a connection is allowed, and what decided it: "allow *.example.com", "deny 0.0.0.0/0",
// "no internet" or "default".
struct Decision {
  bool allowed = false;
  std::string rule;
};

// A compiled policy. Immutable.
class Rules {
 public:
  // kInvalidArgument names the invalid entry and says why.
  static Result<Rules> Compile(const Policy& policy);

  // `name` is the host that the guest resolved to this address; empty if it used the address
  // itself.
  bool Allows(std::string_view name, const Address& address, std::uint16_t port) const;
  bool Allows(std::string_view name, std::string_view address, std::uint16_t port) const;
  Decision Decide(std::string_view name, const Address& address, std::uint16_t port) const;
  // Whether any entry matches by name, and whether one matches this host (in lower case) on this
  // port.
  bool HasNameEntries() const { return has_name_entries_; }
  bool HasEntryForHost(std::string_view host, std::uint16_t port) const;
  // Whether a connection to some port of this address might be allowed under some name.
  bool AllowsSomePort(const Address& address) const;
  // Whether a DNS question for this name may be answered. Where everything is denied, only names
  // that an entry allows on some port are answered, because a question for another name could carry
  // data out. Names that are denied on every port are not answered.
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

// Whether it is a loopback, private, link-local, metadata, multicast or other address that is never
// dialled, or no address at all.
bool IsPrivateAddress(std::string_view address);
// Whether it is link-local or a metadata service of a cloud, or no address at all.
bool IsMetadataAddress(std::string_view address);

}  // namespace viv::network
