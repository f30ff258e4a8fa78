#pragma once
// Derives the egress of a box from its stored proxy_config (proxy_config.h): where it may connect,
// what the gateway adds to its requests, and which variables are placeholders for secrets. Null is
// no config in each function.

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "dialects/langsmith/secret_value.h"
#include "gateway/rules/plan.h"
#include "network/policy.h"

namespace viv::langsmith {

network::Policy EgressOf(const json::value& stored);

// The enabled rules, and the callbacks: first the rules of providers, whose hosts are theirs
// wherever they stand in the list, then the others in their order. Opaque values stay sealed;
// `sealer` is the one that StoreProxyConfig had, and tells what they are sealed for. That is the
// account, not the box, so that they open for copies of the box as well. A rule for a role of AWS
// has no keys, so that its requests are refused: roles are taken by an identity, which this server
// has none of.
gateway::Plan PlanOf(const json::value& stored, const AccountSealer& sealer);

// The placeholders of its enabled rules; a later rule wins.
std::map<std::string, std::string> VariablesOf(const json::value& stored);

// Whether it has a rule of this type, "aws" or "gcp".
enum class RuleState { kAny, kEnabled };
bool HasProviderRule(const json::value& stored, std::string_view type, RuleState state);

}  // namespace viv::langsmith
