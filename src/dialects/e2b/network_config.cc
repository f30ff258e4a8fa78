#include "dialects/e2b/network_config.h"

#include <algorithm>

#include "base/text.h"
#include "dialects/e2b/egress_proxy.h"
#include "dialects/e2b/errors.h"
#include "dialects/e2b/network_rules.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kEntriesMax = 1000;
constexpr std::size_t kTlsPortsMax = 128;
constexpr std::size_t kHostBytesMax = 255;
constexpr std::string_view kAllTraffic = "0.0.0.0/0";
constexpr std::string_view kPortMark = "${PORT}";
// Every name, and no address: in our lists "*" is for both, and this expression for names alone.
constexpr std::string_view kEveryName = "*";
constexpr std::string_view kEveryNamePattern = "~[^:]*[^:.0-9][^:]*";

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
    if (entry == kEveryName) kind = network::EntryKind::kName;
    if (kind == network::EntryKind::kOther)
      fields.Refuse("invalid allowed domain: " + Printable(entry));
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

// A host, and after a colon perhaps a port; IPv6 addresses stand in brackets.
bool IsMask(std::string_view mask) {
  if (mask.size() > kHostBytesMax) return false;
  const std::string masked = MaskedHost(std::string(mask), 1);
  std::string_view rest = masked;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return false;
    rest.remove_prefix(close + 1);
    if (!rest.empty() && rest.front() != ':') return false;
  }
  if (std::count(rest.begin(), rest.end(), ':') > 1) return false;
  if (rest.find_first_of("[]") != std::string_view::npos) return false;
  return std::all_of(masked.begin(), masked.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(".:-_[]").find(c) != std::string_view::npos;
  });
}

std::string ReadMask(http::Fields& fields) {
  std::string mask = fields.Text("maskRequestHost").value_or("");
  const bool ascii = std::all_of(mask.begin(), mask.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii)
    fields.Refuse("mask request host '" + Printable(mask.substr(0, mask.rfind(':'))) +
                  "' is not ASCII. Please use ASCII characters only.");
  if (!IsMask(mask)) fields.Refuse("mask request host is not valid: " + Printable(mask));
  return mask;
}

void CheckTlsPort(http::Fields& fields,
                  const std::vector<std::uint16_t>& before,
                  std::int64_t port) {
  const std::string shown = std::to_string(port);
  if (port < 1 || port > 65'535) {
    fields.Refuse("HTTPS port must be between 1 and 65535: " + shown);
  } else if (port == kAgentPort) {
    fields.Refuse("HTTPS backend routing is not supported for reserved port " + shown);
  } else if (std::find(before.begin(), before.end(), port) != before.end()) {
    fields.Refuse("HTTPS port " + shown + " is specified more than once.");
  }
}

std::vector<std::uint16_t> ReadTlsPorts(http::Fields& fields) {
  std::vector<std::uint16_t> ports;
  const json::array* list = fields.Array("httpsPorts");
  if (list == nullptr) return ports;
  if (list->size() > kTlsPortsMax) fields.Refuse("HTTPS ports can have at most 128 entries.");
  for (const json::value& item : *list) {
    if (!item.is_int64()) fields.Refuse("httpsPorts: port numbers from 1 to 65535 are expected");
    if (fields.ok()) CheckTlsPort(fields, ports, item.get_int64());
    if (!fields.ok()) return {};
    ports.push_back(static_cast<std::uint16_t>(item.get_int64()));
  }
  return ports;
}

json::array ShowEntries(const std::vector<std::string>& list) {
  json::array array;
  for (const std::string& item : list)
    array.emplace_back(item == kEveryNamePattern ? kEveryName : std::string_view(item));
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
                std::optional<bool> internet,
                const AccountSealer& sealer,
                boxes::BoxNetwork& network) {
  network.egress.allow = fields.List("allowOut");
  network.egress.deny = fields.List("denyOut");
  network.egress.internet = internet.value_or(true);
  network.internet_requested = internet;
  CheckEntries(fields, network.egress);
  std::replace(network.egress.allow.begin(), network.egress.allow.end(), std::string(kEveryName),
               std::string(kEveryNamePattern));
  network.plan = gateway::Plan();
  network.plan.rules = ReadRules(fields, sealer);
  network.plan.proxy = ReadEgressProxy(fields, sealer);
  if (!fields.List("dnsServers").empty())
    fields.Refuse(
        "dnsServers: sandboxes resolve names through the server, which may be started with "
        "--resolver; leave it out");
}

boxes::BoxNetwork ReadNetwork(http::Fields& fields,
                              std::optional<bool> internet,
                              const AccountSealer& sealer) {
  boxes::BoxNetwork network;
  ReadEgress(fields, internet, sealer, network);
  network.public_traffic = fields.Flag("allowPublicTraffic").value_or(true);
  network.mask_request_host = ReadMask(fields);
  network.tls_ports = ReadTlsPorts(fields);
  return network;
}

json::value ShowNetwork(const boxes::BoxNetwork& network) {
  boxes::BoxNetwork untouched;
  untouched.egress.internet = network.egress.internet;  // both are shown as allowInternetAccess
  untouched.internet_requested = network.internet_requested;
  untouched.public_traffic = true;
  if (network == untouched) return nullptr;
  json::object shown{{"allowPublicTraffic", network.public_traffic}};
  if (!network.egress.allow.empty()) shown["allowOut"] = ShowEntries(network.egress.allow);
  if (!network.egress.deny.empty()) shown["denyOut"] = ShowEntries(network.egress.deny);
  if (!network.plan.rules.empty()) shown["rules"] = ShowRules(network.plan.rules);
  if (network.plan.proxy) shown["egressProxy"] = ShowEgressProxy(*network.plan.proxy);
  if (!network.mask_request_host.empty()) shown["maskRequestHost"] = network.mask_request_host;
  if (!network.tls_ports.empty())
    shown["httpsPorts"] = json::array(network.tls_ports.begin(), network.tls_ports.end());
  return shown;
}

}  // namespace viv::e2b
