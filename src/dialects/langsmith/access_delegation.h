#pragma once
// Which of its creator's permissions a box has: {"mode": "INHERIT"}, or {"mode": "EXPLICIT",
// "permissions": [...]}. It is checked, stored and shown; this server has nothing to delegate to.

#include "base/json.h"
#include "dialects/langsmith/checked.h"

namespace viv::langsmith {

// What is stored and shown of it. Errors name fields below "access_delegation".
Checked<json::value> StoreAccessDelegation(const json::value& given);

}  // namespace viv::langsmith
