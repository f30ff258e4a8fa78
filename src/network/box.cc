#include "network/box.h"

#include <algorithm>

#include "network/flow.h"

namespace viv::network {

Box::Box(Loop& of_loop, Doors doors, Rules its_rules)
    : loop(of_loop),
      rules(std::move(its_rules)),
      tcp_door(AdoptStream(of_loop.context(), std::move(doors.tcp))),
      dns_door(AdoptStream(of_loop.context(), std::move(doors.dns))),
      tcp_pause(of_loop.context()),
      dns_pause(of_loop.context()) {}

bool Box::Admits(const Endpoint& destination, const std::vector<std::string>& asked) const {
  const auto& [address, port] = destination;
  bool guarded = address.IsPrivate() || IsAddressOfThisMachine(address);
  if (guarded && !loop.limits.open_private.Allows("", address, port)) return false;
  if (asked.empty()) return rules.Allows("", address, port);
  return std::any_of(asked.begin(), asked.end(), [&](const std::string& name) {
    return rules.Allows(name, destination.address, destination.port);
  });
}

void Box::SetRules(Rules changed) {
  rules = std::move(changed);
  std::vector<Flow*> open(flows.begin(), flows.end());  // cutting may change the set
  for (Flow* flow : open)
    if (!flow->StillAdmitted()) flow->Cut();
}

void Box::Close() {
  closed_ = true;
  boost::system::error_code ignored;
  tcp_door.close(ignored);
  dns_door.close(ignored);
  tcp_pause.cancel();
  dns_pause.cancel();
  std::vector<Flow*> open(flows.begin(), flows.end());
  for (Flow* flow : open) flow->Cut();
}

}  // namespace viv::network
