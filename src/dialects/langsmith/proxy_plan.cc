#include "dialects/langsmith/proxy_plan.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "dialects/langsmith/proxy_rules.h"
#include "dialects/langsmith/variables.h"
#include "network/policy_entry.h"

namespace viv::langsmith {
namespace {

std::vector<std::string> StoredTexts(const json::value* list) {
  std::vector<std::string> texts;
  if (const json::array* array = list == nullptr ? nullptr : list->if_array())
    for (const json::value& item : *array)
      if (item.is_string()) texts.emplace_back(View(item.get_string()));
  return texts;
}

const json::array& StoredList(const json::value& stored, std::string_view name) {
  static const json::array none;
  const json::value* list = Find(stored, name);
  const json::array* array = list == nullptr ? nullptr : list->if_array();
  return array == nullptr ? none : *array;
}

bool IsEnabledRule(const json::value& rule) {
  const json::value* enabled = Find(rule, "enabled");
  return enabled == nullptr || !enabled->is_bool() || enabled->get_bool();
}

// As requests name hosts: in lower case, without a trailing dot.
std::vector<std::string> PlannedHosts(const json::value& from) {
  std::vector<std::string> hosts = StoredTexts(Find(from, "match_hosts"));
  for (std::string& host : hosts) host = ToLower(network::WithoutTrailingDot(host));
  return hosts;
}

gateway::SecretText PlannedText(const json::value& stored, const AccountSealer& sealer) {
  using Kind = gateway::SecretText::Kind;
  const std::string_view type = FindString(stored, "type");
  if (type == "opaque")
    return {Kind::kSealed, std::string(FindString(stored, "sealed")), sealer.purpose};
  const std::string_view value = FindString(stored, "value");
  if (type == "workspace_secret") return {Kind::kBraceReferences, WithPlainReferences(value), ""};
  return {Kind::kPlain, std::string(value), ""};
}

gateway::SecretText PlannedMember(const json::value& auth,
                                  std::string_view name,
                                  const AccountSealer& sealer) {
  const json::value* secret = Find(auth, name);
  return secret == nullptr ? gateway::SecretText() : PlannedText(*secret, sealer);
}

std::vector<gateway::SetHeader> PlannedHeaders(const json::value& from,
                                               std::string_view list,
                                               const AccountSealer& sealer) {
  std::vector<gateway::SetHeader> headers;
  for (const json::value& header : StoredList(from, list))
    headers.push_back({std::string(FindString(header, "name")), PlannedText(header, sealer)});
  return headers;
}

gateway::ProviderAuth PlannedAws(const json::value& auth, const AccountSealer& sealer) {
  gateway::ProviderAuth planned;
  planned.provider = gateway::ProviderAuth::Provider::kAws;
  planned.access_key_id = PlannedMember(auth, "access_key_id", sealer);
  planned.secret_access_key = PlannedMember(auth, "secret_access_key", sealer);
  return planned;
}

gateway::ProviderAuth PlannedGcp(const json::value& auth, const AccountSealer& sealer) {
  gateway::ProviderAuth planned;
  planned.provider = gateway::ProviderAuth::Provider::kGcp;
  planned.service_account = PlannedMember(auth, "service_account_json", sealer);
  planned.scopes = StoredTexts(Find(auth, "scopes"));
  return planned;
}

gateway::HeaderRule PlannedRule(const json::value& rule, const AccountSealer& sealer) {
  gateway::HeaderRule planned;
  planned.name = FindString(rule, "name");
  const std::string_view type = FindString(rule, "type");
  const json::value* auth = Find(rule, type);
  if (type == "aws" && auth != nullptr) {
    planned.hosts = {"*.amazonaws.com", "*.amazonaws.com.cn"};
    planned.provider = PlannedAws(*auth, sealer);
  } else if (type == "gcp" && auth != nullptr) {
    planned.hosts = {"googleapis.com", "*.googleapis.com"};
    planned.provider = PlannedGcp(*auth, sealer);
  } else {
    planned.hosts = PlannedHosts(rule);
    planned.paths = StoredTexts(Find(rule, "match_paths"));
    planned.headers = PlannedHeaders(rule, "headers", sealer);
    for (const std::string& header : StoredTexts(Find(rule, "match_headers")))
      planned.required_headers.push_back(
          ReadMatchHeader(header).value_or(gateway::RequiredHeader()));
  }
  return planned;
}

gateway::Callback PlannedCallback(const json::value& callback, const AccountSealer& sealer) {
  gateway::Callback planned;
  planned.hosts = PlannedHosts(callback);
  planned.url = FindString(callback, "url");
  const json::value* ttl = Find(callback, "ttl_seconds");
  if (ttl != nullptr && ttl->is_int64()) planned.ttl_seconds = ttl->get_int64();
  const json::value* full = Find(callback, "full_request");
  planned.full_request = full != nullptr && full->is_bool() && full->get_bool();
  planned.request_headers = PlannedHeaders(callback, "request_headers", sealer);
  return planned;
}

}  // namespace

network::Policy EgressOf(const json::value& stored) {
  network::Policy policy;
  const json::value* control = Find(stored, "access_control");
  if (control == nullptr) return policy;
  policy.allow = StoredTexts(Find(*control, "allow_list"));
  policy.deny = StoredTexts(Find(*control, "deny_list"));
  policy.internet = policy.allow.empty();
  return policy;
}

gateway::Plan PlanOf(const json::value& stored, const AccountSealer& sealer) {
  gateway::Plan plan;
  for (const json::value& rule : StoredList(stored, "rules"))
    if (IsEnabledRule(rule)) plan.rules.push_back(PlannedRule(rule, sealer));
  std::stable_partition(plan.rules.begin(), plan.rules.end(),
                        [](const gateway::HeaderRule& rule) { return rule.provider.has_value(); });
  for (const json::value& callback : StoredList(stored, "callbacks"))
    plan.callbacks.push_back(PlannedCallback(callback, sealer));
  return plan;
}

std::map<std::string, std::string> VariablesOf(const json::value& stored) {
  Variables variables;
  for (const json::value& rule : StoredList(stored, "rules")) {
    const json::value* given = Find(rule, "env_vars");
    if (given == nullptr || !given->is_object() || !IsEnabledRule(rule)) continue;
    for (const auto& [name, value] : given->get_object())
      if (value.is_string())
        variables[std::string(name.data(), name.size())] = View(value.get_string());
  }
  return variables;
}

bool HasProviderRule(const json::value& stored, std::string_view type, RuleState state) {
  const json::array& rules = StoredList(stored, "rules");
  return std::any_of(rules.begin(), rules.end(), [&](const json::value& rule) {
    return FindString(rule, "type") == type && (state == RuleState::kAny || IsEnabledRule(rule));
  });
}

}  // namespace viv::langsmith
