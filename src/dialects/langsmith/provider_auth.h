#pragma once
// Credentials of cloud providers, as proxy rules and mounts take them: an AWS role or a pair of
// keys, a Google service account. Never in plain text.

#include "base/json.h"
#include "dialects/langsmith/checked.h"
#include "dialects/langsmith/secret_value.h"

namespace viv::langsmith {

// {"role_arn", "session_tags"?}, or {"access_key_id", "secret_access_key"}; `kept` as in
// StoreSecret.
json::object StoreAwsAuth(Members aws, const json::value& kept, const AccountSealer& sealer);
// {"service_account_json"}.
json::object StoreGcpAuth(Members gcp, const json::value& kept, const AccountSealer& sealer);

}  // namespace viv::langsmith
