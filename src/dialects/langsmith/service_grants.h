#pragma once
// Which ports of which boxes are shared, and how: by tokens that end, or for good with those who
// sign in. A grant is a note for its owner and the rule for signing in; a token holds by itself
// until its time is over. A grant goes with its box: one that is left behind counts as none and is
// removed when it is met.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/service_address.h"

namespace viv::langsmith {

struct Grant {
  enum class Access { kToken, kRestricted, kWorkspace };
  Service service;
  std::string account_id;
  Access access = Access::kToken;
  std::int64_t created_at_us = 0;
  std::int64_t expires_at_us = 0;  // of the last token; 0: for good
};

std::string_view NameOfAccess(Grant::Access access);  // "token", "restricted", "workspace"
bool IsByLogin(const Grant& grant);

// Nothing also when its tokens' time is over.
std::optional<Grant> FindGrant(const Context& context, const Service& service);
std::vector<Grant> GrantsOfBox(const Context& context, const sandbox::Box& box);  // by port

// A token's time never shortens the one before it. kLimitExceeded when the box shares too many.
Task<Status> KeepGrant(Context& context, Grant grant);
Task<Status> RemoveGrant(Context& context, Service service);
// Of the account: those whose box or time is gone.
Task<void> SweepGrants(Context& context, std::string account_id);

}  // namespace viv::langsmith
