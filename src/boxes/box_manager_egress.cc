// The egress of boxes: the policy and proxy of each box, and the log of its connections.

#include <algorithm>
#include <charconv>

#include "boxes/box_ids.h"
#include "boxes/box_manager.h"

namespace viv::boxes {
namespace {

// If the policy has host names, plain HTTP requests are parsed even when nothing is added to them,
// because each request on a connection may name another host.
bool MayGoByNames(const network::Policy& policy) {
  auto is_name = [](const std::string& entry) {
    const network::EntryKind kind = network::KindOf(entry);
    return kind != network::EntryKind::kAddress && kind != network::EntryKind::kBlock;
  };
  return std::any_of(policy.allow.begin(), policy.allow.end(), is_name) ||
         std::any_of(policy.deny.begin(), policy.deny.end(), is_name);
}

}  // namespace

network::BoxEgress BoxManager::EgressOf(const Box& box) const {
  const gateway::Plan& plan = box.spec.network.plan;
  network::BoxEgress egress;
  egress.box_id = box.id;
  egress.policy = box.spec.network.egress;
  if (plan.proxy) egress.proxy = SocksOf(box.account_id, *plan.proxy);
  if (options_.gateway != nullptr && (plan.intercepts() || MayGoByNames(egress.policy)))
    egress.interceptor = options_.gateway->InterceptorFor(
        plan,
        {box.id, UuidOfBox(box.id), box.account_id, options_.uuid_of_account(box.account_id)});
  return egress;
}

// A password that cannot be decrypted any more is left out: the proxy then refuses the connection,
// and no traffic bypasses it.
network::SocksProxy BoxManager::SocksOf(const std::string& account_id,
                                        const gateway::UpstreamProxy& proxy) const {
  network::SocksProxy socks;
  const std::size_t colon = proxy.address.rfind(':');
  socks.host = proxy.address.substr(0, colon);
  if (socks.host.starts_with('[') && socks.host.ends_with(']'))
    socks.host = socks.host.substr(1, socks.host.size() - 2);
  if (colon != std::string::npos)
    std::from_chars(proxy.address.data() + colon + 1, proxy.address.data() + proxy.address.size(),
                    socks.port);
  socks.username = proxy.username;
  if (options_.secrets == nullptr) return socks;
  auto password = options_.secrets->Reveal(account_id, proxy.password);
  if (password) socks.password = *std::move(password);
  return socks;
}

Result<std::vector<json::object>> BoxManager::EgressLog(std::string_view account_id,
                                                        std::string_view id,
                                                        std::size_t limit) const {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr || found.box->account_id != account_id) {
    return Fail(ErrorCode::kNotFound, "box " + std::string(id) + " does not exist");
  }
  if (options_.flow_log == nullptr) return std::vector<json::object>();
  return options_.flow_log->Read(found.box->id, limit);
}

}  // namespace viv::boxes
