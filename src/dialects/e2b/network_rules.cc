#include "dialects/e2b/network_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "accounts/secret_references.h"
#include "base/text.h"
#include "dialects/e2b/errors.h"
#include "gateway/rules/header_check.h"
#include "network/policy.h"
#include "network/policy_entry.h"

namespace viv::e2b {
namespace {

constexpr std::size_t kRuleDomainsMax = 10;
constexpr std::size_t kRuleDomainBytesMax = 128;
constexpr std::size_t kRulesPerDomainMax = 1;
constexpr std::size_t kRuleHeadersMax = 20;
constexpr std::size_t kRuleHeaderNameBytesMax = 64;
constexpr std::size_t kRuleHeaderValueBytesMax = 2048;
constexpr std::string_view kHiddenValue = "***";
constexpr std::string_view kIdentityMark = "${e2b.identity.";

// An exact name, or one below which all are meant; a star stands nowhere else.
bool IsRuleDomain(std::string_view domain) {
  if (network::KindOf(domain) != network::EntryKind::kName) return false;
  const std::size_t star = domain.rfind('*');
  return star == std::string_view::npos || (star == 0 && domain.starts_with("*."));
}

std::size_t CountMarks(std::string_view value) {
  std::size_t count = 0;
  for (std::size_t at = value.find(accounts::kSecretMark); at != std::string_view::npos;
       at = value.find(accounts::kSecretMark, at + 1))
    ++count;
  return count;
}

// What is said about one domain. The first mistake is refused in `fields`: in the vendor's words
// where it has some, since clients compare whole messages, else in ours, which name the place
// first. None repeats a part of a value.
class DomainReader {
 public:
  DomainReader(http::Fields& fields, const AccountSealer& sealer, std::string_view domain)
      : fields_(fields), sealer_(sealer), domain_(domain), quoted_(Quoted(domain)) {}

  std::string Name() {
    if (domain_.empty()) {
      fields_.Refuse("Rule domain must not be empty.");
    } else if (domain_.size() > kRuleDomainBytesMax) {
      fields_.Refuse("Rule domain " + quoted_ + " exceeds maximum length of 128 characters.");
    } else if (!IsRuleDomain(domain_)) {
      fields_.Refuse("Rule domain " + quoted_ + " is not a valid domain name.");
    }
    return ToLower(network::WithoutTrailingDot(domain_));
  }

  // None when the domain is only listed, as clients do whose transform is empty.
  std::vector<gateway::SetHeader> Headers(const json::value& given) {
    if (!given.is_array()) return RefuseHere("a list of rules is expected");
    const json::array& rules = given.get_array();
    if (rules.size() > kRulesPerDomainMax)
      fields_.Refuse("Domain " + quoted_ + " can have at most 1 transform rule.");
    if (rules.empty() || !fields_.ok()) return {};
    if (!rules[0].is_object()) return RefuseHere("a rule is an object with a transform");
    const json::value* transform = ObjectIn(rules[0], "transform", "transform");
    if (transform == nullptr) return {};
    const json::value* headers = ObjectIn(*transform, "headers", "transform: headers");
    if (headers == nullptr) return {};
    return ReadHeaders(headers->get_object());
  }

 private:
  std::vector<gateway::SetHeader> RefuseHere(std::string_view why) {
    fields_.RefuseField("rules", Printable(domain_) + ": " + std::string(why));
    return {};
  }

  // The member, which is an object; nullptr when it is absent.
  const json::value* ObjectIn(const json::value& parent,
                              std::string_view name,
                              std::string_view path) {
    const json::value* found = Find(parent, name);
    if (found == nullptr || found->is_null()) return nullptr;
    if (found->is_object()) return found;
    RefuseHere(std::string(path) + ": an object is expected");
    return nullptr;
  }

  std::vector<gateway::SetHeader> ReadHeaders(const json::object& given) {
    if (given.size() > kRuleHeadersMax)
      fields_.Refuse("Domain " + quoted_ + " can have at most 20 headers per rule.");
    std::vector<gateway::SetHeader> headers;
    std::set<std::string> names;
    for (const auto& member : given) {
      if (!fields_.ok()) return {};
      std::string name = member.key();
      CheckName(name);
      if (!names.insert(ToLower(name)).second) RefuseHeader(name, "it is given twice");
      gateway::SecretText value = ReadValue(name, member.value());
      headers.push_back({std::move(name), std::move(value)});
    }
    return headers;
  }

  void CheckName(std::string_view name) {
    const std::string place = " in rule for domain " + quoted_;
    if (name.empty()) {
      fields_.Refuse("Header name" + place + " must not be empty.");
    } else if (name.size() > kRuleHeaderNameBytesMax) {
      fields_.Refuse("Header name " + Quoted(name) + place +
                     " exceeds maximum length of 64 characters.");
    } else if (!gateway::IsHeaderName(name)) {
      fields_.Refuse("Header name " + Quoted(name) + place +
                     " must contain only valid HTTP token characters.");
    }
    // "Expect" asks for an answer before the body, which nobody in the sandbox would wait for.
    if (gateway::IsReservedHeader(name) || EqualsIgnoreCase(name, "expect"))
      RefuseHeader(name, "this header is reserved and cannot be set");
  }

  gateway::SecretText ReadValue(std::string_view name, const json::value& given) {
    if (!given.is_string()) {
      RefuseHeader(name, "text is expected");
      return {};
    }
    std::string_view value = View(given.get_string());
    CheckValue(name, value);
    if (!fields_.ok()) return {};
    if (value.find(accounts::kSecretMark) == std::string_view::npos)
      return sealer_.Seal("e2b.rule", value);
    return {gateway::SecretText::Kind::kDollarReferences, std::string(value), ""};
  }

  void CheckValue(std::string_view name, std::string_view value) {
    const std::string what = "Value for header " + Quoted(name) + " in rule for domain " + quoted_;
    if (!gateway::IsHeaderValue(value)) {
      fields_.Refuse(what + " contains invalid characters.");
    } else if (value.size() > kRuleHeaderValueBytesMax) {
      fields_.Refuse(what + " exceeds maximum length of 2048 characters.");
    } else if (value == kHiddenValue) {
      RefuseHeader(name,
                   "*** stands for a value that is not shown; give the value again, or a "
                   "placeholder such as ${e2b.secrets.NAME}");
    } else if (value.find(kIdentityMark) != std::string_view::npos) {
      RefuseHeader(name, "workload identity is not available here; use ${e2b.secrets.NAME}");
    } else if (CountMarks(value) > accounts::kSecretReferencesMax) {
      RefuseHeader(name, "at most 64 secrets are referred to in one value");
    } else if (!accounts::ReadSecretReferences(value,
                                               gateway::SecretText::Kind::kDollarReferences)) {
      fields_.Refuse("Network transform header contains a malformed E2B placeholder.");
    }
  }

  void RefuseHeader(std::string_view name, std::string_view why) {
    RefuseHere(Printable(name, kRuleHeaderNameBytesMax) + ": " + std::string(why));
  }

  http::Fields& fields_;
  const AccountSealer& sealer_;
  std::string_view domain_;
  std::string quoted_;
};

// The members of an object have no order, so the most specific rule for a host applies: its own
// name, then the longest "*." that matches.
bool IsMoreSpecific(const gateway::HeaderRule& a, const gateway::HeaderRule& b) {
  const bool a_any = a.name.starts_with('*'), b_any = b.name.starts_with('*');
  if (a_any != b_any) return b_any;
  return a_any && a.name.size() > b.name.size();
}

json::object ShowHeaders(const std::vector<gateway::SetHeader>& headers) {
  using Kind = gateway::SecretText::Kind;
  json::object shown;
  for (const gateway::SetHeader& header : headers) {
    const bool is_open =
        header.value.kind == Kind::kDollarReferences || header.value.kind == Kind::kPlain;
    shown[header.name] = is_open ? json::value(header.value.text) : json::value(kHiddenValue);
  }
  return shown;
}

}  // namespace

// A rule that adds nothing is kept: it exempts its host from less specific wildcards.
std::vector<gateway::HeaderRule> ReadRules(http::Fields& fields, const AccountSealer& sealer) {
  std::vector<gateway::HeaderRule> rules;
  const json::object* domains = fields.Object("rules");
  if (domains == nullptr) return rules;
  if (domains->size() > kRuleDomainsMax)
    fields.Refuse("Network rules can have at most 10 domains.");
  std::set<std::string> seen;
  for (const auto& member : *domains) {
    if (!fields.ok()) return {};
    DomainReader reader(fields, sealer, member.key());
    gateway::HeaderRule rule;
    rule.name = reader.Name();
    rule.hosts = {rule.name};
    if (fields.ok() && !seen.insert(rule.name).second)
      fields.Refuse("Network rule domain keys must be unique ignoring case.");
    if (fields.ok()) rule.headers = reader.Headers(member.value());
    rules.push_back(std::move(rule));
  }
  std::stable_sort(rules.begin(), rules.end(), IsMoreSpecific);
  return rules;
}

json::object ShowRules(const std::vector<gateway::HeaderRule>& rules) {
  json::object shown;
  for (const gateway::HeaderRule& rule : rules) {
    json::array list;
    json::object transform{{"headers", ShowHeaders(rule.headers)}};
    if (!rule.headers.empty()) list.push_back(json::object{{"transform", std::move(transform)}});
    for (const std::string& host : rule.hosts)
      if (!shown.contains(host)) shown[host] = list;
  }
  return shown;
}

}  // namespace viv::e2b
