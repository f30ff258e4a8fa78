#include "dialects/e2b/network_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "gateway/rules/header_check.h"
#include "network/policy.h"
#include "network/policy_entry.h"
#include "sandbox/secret_references.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kRuleDomainsMax = 10;
constexpr std::size_t kRulesPerDomainMax = 1;
constexpr std::size_t kRuleHeadersMax = 20;
constexpr std::size_t kRuleHeaderNameBytesMax = 64;
constexpr std::size_t kRuleHeaderValueBytesMax = 2048;
constexpr std::string_view kHiddenValue = "***";
constexpr std::string_view kIdentityMark = "${e2b.identity.";

tl::unexpected<Error> BadRule(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

Status CheckHeaderName(std::string_view name) {
  if (name.size() > kRuleHeaderNameBytesMax)
    return BadRule("a header's name has at most 64 characters");
  if (!gateway::IsHeaderName(name)) return BadRule("this is no name of a header");
  // "Expect" asks for an answer before the body, which nobody in the sandbox would wait for.
  if (gateway::IsReservedHeader(name) || EqualsIgnoreCase(name, "expect"))
    return BadRule("this header is reserved and cannot be set");
  return {};
}

// Never repeats a part of the value.
Status CheckHeaderValue(std::string_view value) {
  if (value.size() > kRuleHeaderValueBytesMax)
    return BadRule("a header's value has at most 2048 bytes");
  if (!gateway::IsHeaderValue(value))
    return BadRule("a header's value has no line breaks or other control characters");
  if (value == kHiddenValue)
    return BadRule(
        "*** stands for a value that is not shown; give the value again, or a placeholder such as "
        "${e2b.secrets.NAME}");
  if (value.find(kIdentityMark) != std::string_view::npos)
    return BadRule("workload identity is not available here; use ${e2b.secrets.NAME}");
  return {};
}

Result<gateway::SecretText> ReadHeaderValue(const json::value& given, const Sealer& sealer) {
  if (!given.is_string()) return BadRule("text is expected");
  std::string_view value = View(given.get_string());
  RETURN_IF_ERROR(CheckHeaderValue(value));
  if (value.find(sandbox::kSecretMark) == std::string_view::npos)
    return sealer.Seal("e2b.rule", value);
  constexpr auto kMarked = gateway::SecretText::Kind::kMarked;
  RETURN_IF_ERROR(sandbox::ReadSecretReferences(value, kMarked));
  return gateway::SecretText{kMarked, std::string(value), ""};
}

Result<std::vector<gateway::SetHeader>> ReadHeaders(const json::object& given,
                                                    const Sealer& sealer) {
  if (given.size() > kRuleHeadersMax) return BadRule("at most 20 headers are set");
  std::vector<gateway::SetHeader> headers;
  std::set<std::string> names;
  for (const auto& member : given) {
    std::string name = member.key();
    std::string shown = Printable(name, kRuleHeaderNameBytesMax);
    RETURN_IF_ERROR(CheckHeaderName(name), shown);
    if (!names.insert(ToLower(name)).second) return BadRule(shown + ": it is given twice");
    ASSIGN_OR_RETURN(gateway::SecretText value, ReadHeaderValue(member.value(), sealer), shown);
    headers.push_back({std::move(name), std::move(value)});
  }
  return headers;
}

// The member, which is an object; nullptr when it is absent.
Result<const json::value*> ObjectIn(const json::value& parent, std::string_view name) {
  const json::value* found = Find(parent, name);
  if (found == nullptr || found->is_null()) return nullptr;
  if (!found->is_object()) return BadRule(std::string(name) + ": an object is expected");
  return found;
}

// None when the domain is only listed, as clients do whose transform is empty.
Result<std::vector<gateway::SetHeader>> ReadDomainRules(const json::value& given,
                                                        const Sealer& sealer) {
  if (!given.is_array()) return BadRule("a list of rules is expected");
  const json::array& rules = given.get_array();
  if (rules.size() > kRulesPerDomainMax) return BadRule("a domain has at most 1 rule");
  if (rules.empty()) return std::vector<gateway::SetHeader>();
  if (!rules[0].is_object()) return BadRule("a rule is an object with a transform");
  ASSIGN_OR_RETURN(const json::value* transform, ObjectIn(rules[0], "transform"));
  if (transform == nullptr) return std::vector<gateway::SetHeader>();
  ASSIGN_OR_RETURN(const json::value* headers, ObjectIn(*transform, "headers"), "transform");
  if (headers == nullptr) return std::vector<gateway::SetHeader>();
  return ReadHeaders(headers->get_object(), sealer);
}

Result<gateway::HeaderRule> ReadDomain(std::string_view domain,
                                       const json::value& given,
                                       const Sealer& sealer) {
  if (network::KindOf(domain) != network::EntryKind::kName)
    return BadRule("a domain is expected, such as api.example.com or *.example.com");
  gateway::HeaderRule rule;
  rule.name = ToLower(network::WithoutTrailingDot(domain));
  rule.hosts = {rule.name};
  ASSIGN_OR_RETURN(rule.headers, ReadDomainRules(given, sealer));
  return rule;
}

// The members of an object have no order, so the rule that says most about a host is the one:
// its own name, then the longest "*." that it is below.
bool IsMoreSpecific(const gateway::HeaderRule& a, const gateway::HeaderRule& b) {
  const bool a_any = a.name.starts_with('*'), b_any = b.name.starts_with('*');
  if (a_any != b_any) return b_any;
  return a_any && a.name.size() > b.name.size();
}

json::object ShowHeaders(const std::vector<gateway::SetHeader>& headers) {
  using Kind = gateway::SecretText::Kind;
  json::object shown;
  for (const gateway::SetHeader& header : headers) {
    const bool is_open = header.value.kind == Kind::kMarked || header.value.kind == Kind::kPlain;
    shown[header.name] = is_open ? json::value(header.value.text) : json::value(kHiddenValue);
  }
  return shown;
}

}  // namespace

std::vector<gateway::HeaderRule> ReadRules(http::Fields& fields, const Sealer& sealer) {
  std::vector<gateway::HeaderRule> rules;
  const json::object* domains = fields.Object("rules");
  if (domains == nullptr) return rules;
  if (domains->size() > kRuleDomainsMax)
    fields.RefuseField("rules", "at most 10 domains have rules");
  std::set<std::string> seen;
  for (const auto& member : *domains) {
    if (!fields.ok()) return {};
    std::string shown = Printable(member.key());
    auto rule = ReadDomain(member.key(), member.value(), sealer);
    if (!rule) {
      fields.RefuseField("rules", shown + ": " + rule.error().message);
    } else if (!seen.insert(rule->name).second) {
      fields.RefuseField("rules", shown + ": it is listed twice");
    } else if (!rule->headers.empty()) {  // one that adds nothing need not be read on its way out
      rules.push_back(*std::move(rule));
    }
  }
  std::stable_sort(rules.begin(), rules.end(), IsMoreSpecific);
  return rules;
}

json::object ShowRules(const std::vector<gateway::HeaderRule>& rules) {
  json::object shown;
  for (const gateway::HeaderRule& rule : rules) {
    json::object transform{{"headers", ShowHeaders(rule.headers)}};
    json::array list{json::object{{"transform", std::move(transform)}}};
    for (const std::string& host : rule.hosts)
      if (!shown.contains(host)) shown[host] = list;
  }
  return shown;
}

}  // namespace viv::e2b
