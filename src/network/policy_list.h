#pragma once
// One compiled list of a policy. All names are stored in one string and found by binary search, so
// a thousand names take some tens of kilobytes and a lookup takes the same time however many there
// are. Add bounds what matching globs and expressions can cost.

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

// The ports that an entry has to match: this one, at least one, or all of them.
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
  // kInvalidArgument says what is wrong, without repeating the entry.
  Status Add(std::string_view entry);
  void Finish();  // call it after the last Add

  // A reference to the entry that matched; valid as long as the list.
  struct Found {
    enum class Kind { kNone, kBlock, kHost, kDomain, kGlob, kAddressGlob, kExpression };
    Kind kind = Kind::kNone;
    std::size_t at = 0;

    explicit operator bool() const { return kind != Kind::kNone; }
  };
  // Finds an address or block that contains it.
  Found FindAddress(const Address& address, PortFilter ports) const;
  // Finds a name or pattern that matches the host, which is in lower case.
  Found FindHost(std::string_view host, PortFilter ports) const;
  // The same for a connection without a name: patterns are matched with the text of the address.
  Found FindByAddressText(const Address& address, PortFilter ports) const;
  std::string TextOf(Found found) const;  // as its author wrote it, except for case

  // Whether an entry matches by name. "*" alone does not, because it matches addresses as well.
  bool HasNameEntries() const;
  // Whether such an entry matches the host.
  bool HasEntryForHost(std::string_view host, PortFilter ports) const;
  Found FindEverything() const;  // "0.0.0.0/0"
  std::size_t bytes() const;     // memory, without that of expressions

 private:
  struct NamePort {
    std::uint32_t at;  // offset in names_
    std::uint16_t size;
    std::uint16_t port;
  };
  struct Expression {
    std::shared_ptr<const re2::RE2> pattern;  // copies share it because it never changes
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
