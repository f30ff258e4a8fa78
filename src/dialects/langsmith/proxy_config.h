#pragma once
// What leaves a box and what is added to it: access_control (where to), rules (headers for hosts,
// signatures for AWS and Google) and callbacks (headers asked of the user's own server). The stored
// form is the given one, checked and without members nobody knows, in which opaque values are
// sealed (secret_value.h); OpenSecret gives them to whoever carries the rules out.

#include <map>
#include <string>

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/secret_value.h"
#include "network/policy.h"

namespace viv::langsmith {

// `previous` is the stored form this one replaces, null when there is none: opaque values without
// text are taken from there, by rule (or callback) and header.
Checked<json::value> StoreProxyConfig(const json::value& given,
                                      const json::value& previous,
                                      const Sealer& sealer);

// Of a stored form; null stands for none in each.
json::value ShowProxyConfig(const json::value& stored);  // as answers show it
network::Policy EgressOf(const json::value& stored);     // what the box may reach
// The placeholders of its enabled rules; a later rule wins.
std::map<std::string, std::string> VariablesOf(const json::value& stored);
// Whether it has a rule of this type, "aws" or "gcp".
enum class RuleState { kAny, kEnabled };
bool HasProviderRule(const json::value& stored, std::string_view type, RuleState state);

}  // namespace viv::langsmith
