#include "dialects/e2b/egress_proxy.h"

#include <string>

#include "network/policy_entry.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kCredentialBytesMax = 255;  // RFC 1929

bool IsProxyAddress(std::string_view address) {
  auto entry = network::ReadPolicyEntry(address);
  if (!entry || entry->port == 0) return false;
  return entry->kind == network::PolicyEntry::Kind::kHost ||
         entry->kind == network::PolicyEntry::Kind::kBlock;
}

// Newer clients may ask for TLS toward the proxy. To go without it would show the password to
// everybody on the way.
void RefuseProxyTls(http::Fields& members) {
  const json::object* tls = members.Object("tls");
  if (tls == nullptr) return;
  http::Fields settings(*tls, "egressProxy.tls");
  if (settings.Flag("enabled").value_or(true))
    members.RefuseField("tls", "TLS toward the proxy is not available here; leave it out");
}

}  // namespace

std::optional<gateway::UpstreamProxy> ReadEgressProxy(http::Fields& fields, const Sealer& sealer) {
  const json::object* given = fields.Object("egressProxy");
  if (given == nullptr) return std::nullopt;
  http::Fields members(*given, "egressProxy");
  gateway::UpstreamProxy proxy;
  proxy.address = members.Text("address").value_or("");
  proxy.username = members.Text("username").value_or("");
  std::string password = members.Text("password").value_or("");
  if (!IsProxyAddress(proxy.address))
    members.RefuseField("address", "host:port is expected, such as proxy.example.com:1080");
  if (proxy.username.size() > kCredentialBytesMax)
    members.RefuseField("username", "at most 255 bytes are expected");
  if (password.size() > kCredentialBytesMax)
    members.RefuseField("password", "at most 255 bytes are expected");
  if (!password.empty() && proxy.username.empty())
    members.RefuseField("password", "a password needs a username");
  RefuseProxyTls(members);
  if (!members.ok()) {
    fields.Refuse(members.error().message);
    return std::nullopt;
  }
  if (!password.empty()) proxy.password = sealer.Seal("e2b.proxy", password);
  return proxy;
}

json::object ShowEgressProxy(const gateway::UpstreamProxy& proxy) {
  json::object shown{{"address", proxy.address}};
  if (!proxy.username.empty()) shown["username"] = proxy.username;
  return shown;
}

}  // namespace viv::e2b
