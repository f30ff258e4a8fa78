#pragma once
// Which ports of which boxes are shared, and how: by tokens that end, or for good with those who
// sign in. A token names the generation of its grant and is invalid once that grant was removed or
// changed its kind. A grant ends with its box: one that is left behind is ignored and removed when
// it is found.

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
  // Of its tokens; chosen when the sharing begins. Empty for what an earlier server shared.
  std::string generation;
  // The pages that may show the service in a frame; nothing given: as it was before.
  std::optional<std::vector<std::string>> embed_origins;
};

std::string_view NameOfAccess(Grant::Access access);  // "token", "restricted", "workspace"
bool IsByLogin(const Grant& grant);

// Nothing also when its tokens' time is over.
std::optional<Grant> FindGrant(const Context& context, const Service& service);
std::vector<Grant> GrantsOfBox(const Context& context, const boxes::Box& box);  // by port

// Returns the stored grant. A new token never shortens the time of an earlier one, and earlier
// tokens stay valid while the port is shared in the same way. kLimitExceeded when the box shares
// too many ports.
Task<Result<Grant>> SaveGrant(Context& context, Grant grant);
Task<Status> RemoveGrant(Context& context, Service service);
// Of the account: those whose box or time is gone.
Task<void> SweepGrants(Context& context, std::string account_id);

}  // namespace viv::langsmith
