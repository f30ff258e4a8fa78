#pragma once
// network.rules: {"api.example.com": [{"transform": {"headers": {"Authorization": "…"}}}]}, which
// headers the requests to a domain get. A value with ${e2b.secrets.NAME} is kept as it is, and what
// it names is looked up at each request; every other value may be a secret that the client
// resolved itself, so it is sealed.

#include <vector>

#include "base/json.h"
#include "dialects/e2b/account_sealer.h"
#include "gateway/rules/plan.h"
#include "http/fields.h"

namespace viv::e2b {

// Of the member "rules"; a mistake is refused there, without a value. A secret that does not exist
// is no error: it may be created later, and until then no request is sent.
std::vector<gateway::HeaderRule> ReadRules(http::Fields& fields, const AccountSealer& sealer);

// As details show them; a domain that gets nothing has no rules: []. Placeholders are shown, and
// what the account wrote around them; a value that was sealed is "***", since no answer has a
// secret.
json::object ShowRules(const std::vector<gateway::HeaderRule>& rules);

}  // namespace viv::e2b
