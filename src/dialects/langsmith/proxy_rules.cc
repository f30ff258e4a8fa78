#include "dialects/langsmith/proxy_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "gateway/rules/header_check.h"
#include "network/policy_entry.h"

namespace viv::langsmith {
namespace {

constexpr std::size_t kMatchHostsMax = 100;
constexpr std::size_t kProxyHeadersMax = 100;

// "com" and "co.uk" belong to a registry, so that everything below them belongs to everybody.
bool IsRegistrySuffix(std::string_view domain) {
  constexpr std::string_view kSecondLevels[] = {"ac", "co", "com", "edu", "gov", "net", "org"};
  auto labels = Split(domain, '.');
  if (labels.size() < 2) return true;
  if (labels.size() > 2 || labels[1].size() != 2) return false;
  return std::find(std::begin(kSecondLevels), std::end(kSecondLevels), ToLower(labels[0])) !=
         std::end(kSecondLevels);
}

// The stored header of that name, null when there is none.
json::value KeptHeader(const json::value* kept, std::string_view name) {
  const json::array* headers = kept == nullptr ? nullptr : kept->if_array();
  if (headers == nullptr) return nullptr;
  for (const json::value& header : *headers)
    if (EqualsIgnoreCase(FindString(header, "name"), name)) return header;
  return nullptr;
}

}  // namespace

std::optional<std::string> MatchHostError(std::string_view pattern) {
  if (pattern.find("://") != std::string_view::npos)
    return "a host is expected without a scheme: example.com, not https://example.com";
  if (pattern.find('/') != std::string_view::npos)
    return "a host is expected without a path; match_paths are for those";
  if (pattern.find(':') != std::string_view::npos) return "a host is expected without a port";
  std::string_view host = pattern;
  bool wildcard = host.starts_with("*.");
  if (wildcard) host.remove_prefix(2);
  if (!network::IsHostName(host))
    return "a host (api.example.com) or '*.' and a domain (*.example.com) is expected";
  if (wildcard && IsRegistrySuffix(network::WithoutTrailingDot(host)))
    return "'*.' is followed by a domain that somebody can register, as example.com in "
           "*.example.com";
  return std::nullopt;
}

std::optional<std::string> ProxyHeaderError(std::string_view name) {
  if (!gateway::IsHeaderName(name)) return "a header's name is expected";
  // One that says how the request is sent could smuggle another one in.
  if (gateway::IsReservedHeader(name) || EqualsIgnoreCase(name, "Expect"))
    return "the header " + std::string(name) + " is reserved and cannot be set";
  return std::nullopt;
}

std::optional<gateway::RequiredHeader> ReadMatchHeader(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  gateway::RequiredHeader header{std::string(text.substr(0, colon)),
                                 std::string(Trim(text.substr(colon + 1)))};
  const bool lower = ToLower(header.name) == header.name;
  if (!lower || !gateway::IsHeaderName(header.name) || !gateway::IsHeaderValue(header.value))
    return std::nullopt;
  return header;
}

json::array StoreMatchHosts(Members& members) {
  json::array stored;
  auto hosts = members.Texts("match_hosts", kMatchHostsMax);
  if (hosts.empty()) members.Refuse("match_hosts", "at least one host is required");
  for (const std::string& host : hosts) {
    if (auto why = MatchHostError(host)) {
      FieldPath where = members.At("match_hosts");
      where.push_back(std::to_string(stored.size()));
      members.field_errors().Add(std::move(where), Printable(host) + ": " + *why);
    }
    stored.emplace_back(host);
  }
  return stored;
}

json::array StoreProxyHeaders(Members& members,
                              std::string_view name,
                              const json::value* kept,
                              const AccountSealer& sealer,
                              WorkspaceSecrets workspace_secrets) {
  json::array stored;
  std::set<std::string> seen;
  for (Members& header : members.Objects(name, kProxyHeadersMax)) {
    std::string header_name = header.RequiredText("name");
    if (auto why = ProxyHeaderError(header_name)) header.Refuse("name", *why);
    if (!seen.insert(ToLower(header_name)).second)
      header.Refuse("name", "the header " + Printable(header_name) + " is given twice");
    if (!gateway::IsHeaderValue(FindString(header.json(), "value")))
      header.Refuse("value", "a header's value has no line breaks or other control characters");
    json::object entry{{"name", header_name}};
    json::object value = StoreSecret(header, KeptHeader(kept, header_name), sealer,
                                     Plaintext::kAllowed, workspace_secrets);
    for (auto& [member, text] : value) entry[member] = std::move(text);
    stored.push_back(std::move(entry));
  }
  return stored;
}

}  // namespace viv::langsmith
