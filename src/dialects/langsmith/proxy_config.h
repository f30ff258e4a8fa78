#pragma once
// The egress configuration of a box: access_control (allowed hosts), rules (headers for hosts,
// signatures for AWS and Google) and callbacks (headers that the user's own server supplies). The
// stored form is the checked request without unknown members, in which opaque values are sealed
// (secret_value.h). proxy_plan.h derives the box's egress from it.

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/secret_value.h"

namespace viv::langsmith {

// `previous` is the stored form this one replaces, null when there is none: opaque values without
// text are taken from there, by rule (or callback) and header.
Checked<json::value> StoreProxyConfig(const json::value& given,
                                      const json::value& previous,
                                      const AccountSealer& sealer);

json::value ShowProxyConfig(const json::value& stored);  // as answers show it; null: none

}  // namespace viv::langsmith
