#include "network/box.h"

#include "network/flow.h"

namespace viv::network {

Box::Box(Loop& of_loop, EgressListeners listeners, Rules its_rules, BoxEgress egress)
    : loop(of_loop),
      rules(std::move(its_rules)),
      box_id(std::move(egress.box_id)),
      proxy(std::move(egress.proxy)),
      interceptor(std::move(egress.interceptor)),
      tcp_listener(AdoptStream(of_loop.context(), std::move(listeners.tcp))),
      dns_listener(AdoptStream(of_loop.context(), std::move(listeners.dns))),
      tcp_pause(of_loop.context()),
      dns_pause(of_loop.context()) {}

bool Box::IsClosedPrivate(const Endpoint& destination) const {
  return loop.limits.IsClosedPrivate(destination);
}

Decision Box::Decide(const Endpoint& destination, const std::vector<std::string>& asked) const {
  const auto& [address, port] = destination;
  if (IsClosedPrivate(destination)) return {false, "private"};
  if (asked.empty()) return rules.Decide("", address, port);
  Decision decision;
  for (const std::string& name : asked) {
    decision = rules.Decide(name, address, port);
    if (decision.allowed) break;
  }
  return decision;
}

void Box::Set(Rules changed, BoxEgress egress) {
  rules = std::move(changed);
  box_id = std::move(egress.box_id);
  const bool proxy_changed = proxy != egress.proxy;
  if (proxy_changed) resolved_proxy.reset();
  proxy = std::move(egress.proxy);
  if (interceptor) last_interceptor_ = std::move(interceptor);
  interceptor = std::move(egress.interceptor);
  if (proxy_changed) last_interceptor_.reset();
  if (last_interceptor_ && last_interceptor_ != interceptor)
    last_interceptor_->OnReplacedBy(interceptor.get());
  if (interceptor) last_interceptor_.reset();
  std::vector<Flow*> open(flows.begin(), flows.end());  // Abort may change the set
  for (Flow* flow : open) {
    if (!flows.contains(flow)) continue;
    // An interceptor's connections to origins were dialled through the old proxy.
    const bool stale = proxy_changed && flow->interceptor != nullptr;
    if (!stale && flow->StillAllowed()) continue;
    flow->record.reason = "cut when the rules of the box changed";
    flow->Abort();
  }
}

void Box::Close() {
  closed_ = true;
  boost::system::error_code ignored;
  tcp_listener.close(ignored);
  dns_listener.close(ignored);
  tcp_pause.cancel();
  dns_pause.cancel();
  std::vector<Flow*> open(flows.begin(), flows.end());
  for (Flow* flow : open)
    if (flows.contains(flow)) flow->Abort();
}

}  // namespace viv::network
