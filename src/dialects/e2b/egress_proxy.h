#pragma once
// network.egressProxy: {"address": "host:port", "username", "password"}, the SOCKS5 proxy that a
// sandbox's connections go out through, after the lists have judged them. Whether the address may
// be dialled at all is judged when it is set, and again whenever it is dialled.

#include <optional>

#include "base/json.h"
#include "base/task.h"
#include "boxes/boxes.h"
#include "dialects/e2b/account_sealer.h"
#include "gateway/rules/plan.h"
#include "http/fields.h"

namespace viv::e2b {

// Of the member "egressProxy"; null is none. A mistake is refused there, without the password.
std::optional<gateway::UpstreamProxy> ReadEgressProxy(http::Fields& fields,
                                                      const AccountSealer& sealer);

// kInvalidArgument when its name cannot be resolved, or leads to where nobody may connect. To be
// asked once all else is right, since others' name servers are.
Task<Status> CheckEgressProxy(boxes::Boxes& boxes, std::optional<gateway::UpstreamProxy> proxy);

json::object ShowEgressProxy(const gateway::UpstreamProxy& proxy);  // without the password

}  // namespace viv::e2b
