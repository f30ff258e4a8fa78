#pragma once
// One list of a policy, ready for decisions. Names are kept in one text and found by bisection, so
// that a thousand of them take a few ten kilobytes and a question costs the same however many there
// are; what matching globs and expressions can cost is bounded when they are added.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "network/address.h"
#include "network/policy_entry.h"

namespace re2 {
class RE2;
}

namespace viv::network {

// Which ports an entry must be for: this one, at least one, or all there are.
struct PortFilter {
  enum class Kind { kOne, kSome, kEvery } kind = Kind::kOne;
  std::uint16_t port = 0;

  bool Matches(std::uint16_t entry_port) const {
    if (entry_port == 0 || kind == Kind::kSome) return true;
    return kind == Kind::kOne && entry_port == port;
  }
};

class PolicyList {
 public:
  // kInvalidArgument says what is wrong, without naming the entry.
  Status Add(std::string_view entry);
  void Finish();  // after the last one

  // Which entry fits; valid as long as the list is.
  struct Found {
    enum class Kind { kNone, kBlock, kHost, kDomain, kGlob, kAddressGlob, kExpression };
    Kind kind = Kind::kNone;
    std::size_t at = 0;

    explicit operator bool() const { return kind != Kind::kNone; }
  };
  // An address or block has it.
  Found FindAddress(const Address& address, PortFilter ports) const;
  // A name or pattern fits the host; it is in lower case.
  Found FindHost(std::string_view host, PortFilter ports) const;
  // The same for a connection without a name: patterns see the text of the address.
  Found FindByAddressText(const Address& address, PortFilter ports) const;
  std::string TextOf(Found found) const;  // as its author wrote it, or nearly so

  // Whether an entry goes by names: "*" alone does not, since it fits addresses as well.
  bool HasNameEntries() const;
  // Whether such an entry fits the host.
  bool HasEntryForHost(std::string_view host, PortFilter ports) const;
  Found FindEverything() const;  // "0.0.0.0/0"
  std::size_t bytes() const;     // of memory, beside what expressions take

 private:
  struct NamePort {
    std::uint32_t at;  // in names_
    std::uint16_t size;
    std::uint16_t port;
  };
  struct Expression {
    std::shared_ptr<const re2::RE2> pattern;  // shared by copies: it never changes
    std::uint16_t port;
  };
  NamePort StoreName(const PolicyEntry& entry);
  Status AddExpression(const PolicyEntry& entry);
  std::string_view NameOf(const NamePort& name) const {
    return std::string_view(names_).substr(name.at, name.size);
  }
  std::optional<std::size_t> FindName(const std::vector<NamePort>& sorted,
                                      std::string_view name,
                                      PortFilter ports) const;
  std::optional<std::size_t> FindGlob(const std::vector<NamePort>& globs,
                                      std::string_view text,
                                      PortFilter ports) const;
  Found FindName(std::string_view host, PortFilter ports) const;
  Found FindExpression(std::string_view host, PortFilter ports) const;
  Found FindPattern(std::string_view host, PortFilter ports) const;

  std::vector<AddressBlock> blocks_;
  std::string names_;
  std::vector<NamePort> hosts_, domains_;  // sorted by name
  std::vector<NamePort> globs_, address_globs_;
  std::vector<Expression> expressions_;
  int instructions_ = 0;  // of all expressions
};

}  // namespace viv::network
