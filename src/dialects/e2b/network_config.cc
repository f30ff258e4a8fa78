#include "dialects/e2b/network_config.h"

#include <algorithm>

#include "base/text.h"
#include "dialects/e2b/egress_proxy.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_rules.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kEntriesMax = 1000;
constexpr std::size_t kTlsPortsMax = 100;
constexpr std::size_t kHostBytesMax = 255;
constexpr std::string_view kAllTraffic = "0.0.0.0/0";
constexpr std::string_view kPortMark = "${PORT}";

bool IsBlockOrAddress(network::EntryKind kind) {
  return kind == network::EntryKind::kAddress || kind == network::EntryKind::kBlock;
}

void CheckEntries(http::Fields& fields, const network::Policy& policy) {
  if (policy.allow.size() > kEntriesMax || policy.deny.size() > kEntriesMax) {
    fields.Refuse("allowOut and denyOut have at most " + std::to_string(kEntriesMax) + " entries");
  }
  for (const std::string& entry : policy.deny) {
    if (!IsBlockOrAddress(network::KindOf(entry)))
      fields.Refuse("invalid denied CIDR " + Printable(entry));
  }
  bool has_names = false;
  for (const std::string& entry : policy.allow) {
    network::EntryKind kind = network::KindOf(entry);
    if (kind == network::EntryKind::kNothing)
      fields.Refuse("invalid allowed destination " + Printable(entry) +
                    ": an address, a CIDR block or a domain is expected");
    has_names |= kind == network::EntryKind::kName;
  }
  bool denies_all =
      std::find(policy.deny.begin(), policy.deny.end(), kAllTraffic) != policy.deny.end();
  if (has_names && policy.internet && !denies_all) {
    // Clients compare this text.
    fields.Refuse(
        "When specifying allowed domains in allow out, you must include 'ALL_TRAFFIC' in deny out "
        "to block all other traffic.");
  }
}

bool IsMask(std::string_view mask) {
  if (mask.size() > kHostBytesMax) return false;
  std::string host = MaskedHost(std::string(mask), 1);
  return std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(".:-_[]").find(c) != std::string_view::npos;
  });
}

std::vector<std::uint16_t> ReadTlsPorts(http::Fields& fields) {
  std::vector<std::uint16_t> ports;
  const json::array* list = fields.Array("httpsPorts");
  if (list == nullptr) return ports;
  if (list->size() > kTlsPortsMax) fields.Refuse("httpsPorts has at most 100 entries");
  for (const json::value& item : *list) {
    if (!item.is_int64() || item.get_int64() < 1 || item.get_int64() > 65'535) {
      fields.Refuse("httpsPorts: port numbers from 1 to 65535 are expected");
      return ports;
    }
    ports.push_back(static_cast<std::uint16_t>(item.get_int64()));
    if (ports.back() == kAgentPort)
      fields.Refuse("httpsPorts: port 49983 belongs to the sandbox itself and cannot be listed");
  }
  return ports;
}

json::array TextArray(const std::vector<std::string>& list) {
  json::array array;
  for (const std::string& item : list) array.emplace_back(item);
  return array;
}

}  // namespace

std::string MaskedHost(const std::string& mask, std::uint16_t port) {
  std::string host = mask;
  if (std::size_t mark = host.find(kPortMark); mark != std::string::npos)
    host.replace(mark, kPortMark.size(), std::to_string(port));
  return host;
}

void ReadEgress(http::Fields& fields,
                bool internet,
                const Sealer& sealer,
                sandbox::BoxNetwork& network) {
  network.egress.allow = fields.List("allowOut");
  network.egress.deny = fields.List("denyOut");
  network.egress.internet = internet;
  CheckEntries(fields, network.egress);
  network.plan = gateway::Plan();
  network.plan.rules = ReadRules(fields, sealer);
  network.plan.proxy = ReadEgressProxy(fields, sealer);
}

sandbox::BoxNetwork ReadNetwork(http::Fields& fields, bool internet, const Sealer& sealer) {
  sandbox::BoxNetwork network;
  ReadEgress(fields, internet, sealer, network);
  network.public_traffic = fields.Flag("allowPublicTraffic").value_or(true);
  network.mask_request_host = fields.Text("maskRequestHost").value_or("");
  if (!IsMask(network.mask_request_host)) {
    fields.Refuse("network.maskRequestHost: a host name is expected, with ${PORT} for the port");
  }
  network.tls_ports = ReadTlsPorts(fields);
  return network;
}

json::value ShowNetwork(const sandbox::BoxNetwork& network) {
  sandbox::BoxNetwork untouched;
  untouched.egress.internet = network.egress.internet;  // shown as allowInternetAccess
  if (network == untouched) return nullptr;
  json::object shown{{"allowPublicTraffic", network.public_traffic}};
  if (!network.egress.allow.empty()) shown["allowOut"] = TextArray(network.egress.allow);
  if (!network.egress.deny.empty()) shown["denyOut"] = TextArray(network.egress.deny);
  if (!network.plan.rules.empty()) shown["rules"] = ShowRules(network.plan.rules);
  if (network.plan.proxy) shown["egressProxy"] = ShowEgressProxy(*network.plan.proxy);
  if (!network.mask_request_host.empty()) shown["maskRequestHost"] = network.mask_request_host;
  if (!network.tls_ports.empty())
    shown["httpsPorts"] = json::array(network.tls_ports.begin(), network.tls_ports.end());
  return shown;
}

}  // namespace viv::e2b
