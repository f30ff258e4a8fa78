#pragma once
// What leaves a box and what is added to it: access_control (where to), rules (headers for hosts,
// signatures for AWS and Google) and callbacks (headers asked of the user's own server). The stored
// form is the given one, checked and without members nobody knows, in which opaque values are
// sealed (secret_value.h). What it means for the box is told by proxy_plan.h.

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
