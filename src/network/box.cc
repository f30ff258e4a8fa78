#include "network/box.h"

#include "network/flow.h"

namespace viv::network {

Box::Box(Loop& of_loop, Doors doors, Rules its_rules, BoxEgress egress)
    : loop(of_loop),
      rules(std::move(its_rules)),
      box_id(std::move(egress.box_id)),
      proxy(std::move(egress.proxy)),
      interceptor(std::move(egress.interceptor)),
      tcp_door(AdoptStream(of_loop.context(), std::move(doors.tcp))),
      dns_door(AdoptStream(of_loop.context(), std::move(doors.dns))),
      tcp_pause(of_loop.context()),
      dns_pause(of_loop.context()) {}

bool Box::IsGuarded(const Endpoint& destination) const {
  return loop.limits.Guards(destination);
}

Ruling Box::Judge(const Endpoint& destination, const std::vector<std::string>& asked) const {
  const auto& [address, port] = destination;
  if (IsGuarded(destination)) return {false, "private"};
  if (asked.empty()) return rules.Judge("", address, port);
  Ruling ruling;
  for (const std::string& name : asked) {
    ruling = rules.Judge(name, address, port);
    if (ruling.allowed) break;
  }
  return ruling;
}

void Box::Set(Rules changed, BoxEgress egress) {
  rules = std::move(changed);
  box_id = std::move(egress.box_id);
  const bool other_way = proxy != egress.proxy;
  if (other_way) found_proxy.reset();
  proxy = std::move(egress.proxy);
  if (interceptor) last_interceptor_ = std::move(interceptor);
  interceptor = std::move(egress.interceptor);
  if (other_way) last_interceptor_.reset();
  if (last_interceptor_ && last_interceptor_ != interceptor)
    last_interceptor_->GiveWayTo(interceptor.get());
  if (interceptor) last_interceptor_.reset();
  std::vector<Flow*> open(flows.begin(), flows.end());  // cutting may change the set
  for (Flow* flow : open) {
    if (!flows.contains(flow)) continue;
    // What an interceptor keeps open to origins was dialled the old way.
    const bool stale = other_way && flow->interceptor != nullptr;
    if (!stale && flow->StillAdmitted()) continue;
    flow->record.reason = "cut when the rules of the box changed";
    flow->Cut();
  }
}

void Box::Close() {
  closed_ = true;
  boost::system::error_code ignored;
  tcp_door.close(ignored);
  dns_door.close(ignored);
  tcp_pause.cancel();
  dns_pause.cancel();
  std::vector<Flow*> open(flows.begin(), flows.end());
  for (Flow* flow : open)
    if (flows.contains(flow)) flow->Cut();
}

}  // namespace viv::network
