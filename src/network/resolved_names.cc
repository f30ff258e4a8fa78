#include "network/resolved_names.h"

#include <algorithm>

namespace viv::network {
namespace {

// Programs keep addresses longer than their TTL, so a name stays valid for some minutes at least.
constexpr std::uint32_t kNameSecondsMin = 600;
constexpr std::uint32_t kNameSecondsMax = 86'400;

}  // namespace

void ResolvedNames::Add(const std::string& name,
                        const Address& address,
                        std::uint32_t ttl_seconds,
                        Time now) {
  auto [found, added] = addresses_.try_emplace(address);
  Entry& entry = found->second;
  if (added)
    entry.order = order_.insert(order_.end(), address);
  else
    order_.splice(order_.end(), order_, entry.order);
  std::erase_if(entry.names, [&](const ResolvedName& given) {
    return given.name == name || given.until <= now;
  });
  if (entry.names.size() >= kNamesPerAddressMax) entry.names.erase(entry.names.begin());
  auto lifetime = std::chrono::seconds(std::clamp(ttl_seconds, kNameSecondsMin, kNameSecondsMax));
  entry.names.push_back({name, now + lifetime});
  if (addresses_.size() <= kAddressesMax) return;
  addresses_.erase(order_.front());
  order_.pop_front();
}

std::vector<std::string> ResolvedNames::NamesOf(const Address& address, Time now) const {
  std::vector<std::string> names;
  auto found = addresses_.find(address);
  if (found == addresses_.end()) return names;
  const std::vector<ResolvedName>& given = found->second.names;
  for (auto at = given.rbegin(); at != given.rend(); ++at)
    if (at->until > now) names.push_back(at->name);
  return names;
}

}  // namespace viv::network
