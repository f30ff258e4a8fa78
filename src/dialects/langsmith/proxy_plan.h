#pragma once
// What a stored proxy_config (proxy_config.h) comes to for its box: where it may connect, what the
// gateway adds to its requests, and which variables stand in for the secrets it never sees. Null
// stands for no config in each.

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "dialects/langsmith/secret_value.h"
#include "gateway/rules/plan.h"
#include "network/policy.h"

namespace viv::langsmith {

network::Policy EgressOf(const json::value& stored);

// The enabled rules in their order, and the callbacks. Opaque values stay sealed; `sealer` is the
// one that StoreProxyConfig had, and tells what they are sealed for. That is the account, not the
// box, so that they open for copies of the box as well. A rule for a role of AWS is left out: roles
// are assumed by an identity that this server has none of, so such requests go unsigned.
gateway::Plan PlanOf(const json::value& stored, const Sealer& sealer);

// The placeholders of its enabled rules; a later rule wins.
std::map<std::string, std::string> VariablesOf(const json::value& stored);

// Whether it has a rule of this type, "aws" or "gcp".
enum class RuleState { kAny, kEnabled };
bool HasProviderRule(const json::value& stored, std::string_view type, RuleState state);

}  // namespace viv::langsmith
