#pragma once
// One list of a policy, ready for decisions. Names are kept in one text and found by bisection, so
// that a thousand of them take a few ten kilobytes and a question costs the same however many there
// are; what matching globs and expressions can cost is bounded when they are added.

#include <cstddef>
#include <cstdint>
#include <memory>
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
struct PortQuestion {
  enum class Kind { kOne, kSome, kEvery } kind = Kind::kOne;
  std::uint16_t port = 0;

  bool Fits(std::uint16_t entry_port) const {
    if (entry_port == 0 || kind == Kind::kSome) return true;
    return kind == Kind::kOne && entry_port == port;
  }
};

class PolicyList {
 public:
  // kInvalidArgument says what is wrong, without naming the entry.
  Status Add(std::string_view entry);
  void Finish();  // after the last one

  // An address or block has it.
  bool CoversAddress(const Address& address, PortQuestion ports) const;
  // A name or pattern fits the host; it is in lower case.
  bool CoversHost(std::string_view host, PortQuestion ports) const;
  // The same for a connection without a name: patterns see the text of the address.
  bool CoversBare(const Address& address, PortQuestion ports) const;
  bool has_everything() const { return has_everything_; }  // "0.0.0.0/0"
  std::size_t bytes() const;  // of memory, beside what expressions take

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
  NamePort Keep(const PolicyEntry& entry);
  Status AddExpression(const PolicyEntry& entry);
  std::string_view NameOf(const NamePort& name) const {
    return std::string_view(names_).substr(name.at, name.size);
  }
  bool HasName(const std::vector<NamePort>& sorted,
               std::string_view name,
               PortQuestion ports) const;
  bool FitsGlob(const std::vector<NamePort>& globs,
                std::string_view text,
                PortQuestion ports) const;
  bool FitsPattern(std::string_view host, PortQuestion ports) const;

  std::vector<AddressBlock> blocks_;
  std::string names_;
  std::vector<NamePort> hosts_, domains_;  // sorted by name
  std::vector<NamePort> globs_, address_globs_;
  std::vector<Expression> expressions_;
  int instructions_ = 0;  // of all expressions
  bool has_everything_ = false;
};

}  // namespace viv::network
