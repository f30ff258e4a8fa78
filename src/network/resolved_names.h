#pragma once
// The names that a box has resolved, by their addresses, so that the rules can decide a connection
// to an address by its name. One per box, on one thread. It is bounded: a box that resolves many
// names evicts its own oldest ones.

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "network/address.h"

namespace viv::network {

class ResolvedNames {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr std::size_t kAddressesMax = 2'048;
  static constexpr std::size_t kNamesPerAddressMax = 16;

  void Add(const std::string& name, const Address& address, std::uint32_t ttl_seconds, Time now);
  std::vector<std::string> NamesOf(const Address& address, Time now) const;  // the latest first
  std::size_t size() const { return addresses_.size(); }

 private:
  struct ResolvedName {
    std::string name;
    Time until;
  };
  struct Entry {
    std::vector<ResolvedName> names;  // the latest last
    std::list<Address>::iterator order;
  };
  std::map<Address, Entry> addresses_;
  std::list<Address> order_;  // the least recently added first
};

}  // namespace viv::network
