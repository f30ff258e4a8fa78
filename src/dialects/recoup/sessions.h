#pragma once
// A session: a name under which an account finds the same sandbox again. The box is named after the
// session; the record has its account, branch and last activity.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "dialects/recoup/context.h"

namespace viv::recoup {

inline constexpr std::int64_t kSessionIdleSeconds = 5 * 60;

struct Session {
  std::string id;
  std::string account_id;
  std::string branch;
  std::int64_t version = 0;  // how often it was opened
  std::int64_t active_at_us = 0;
};

bool IsSessionId(std::string_view id);
std::string BoxNameOf(std::string_view session_id);
std::optional<Session> FindSession(const Context& context, std::string_view id);
Task<Status> SaveSession(Context& context, Session session);

// {serverTime, state, lastActivityAt, hibernateAfter, sandboxExpiresAt}, all in milliseconds. `box`
// is nullptr when there is none.
json::object ShowLifecycle(const Session& session, const boxes::Box* box, std::int64_t now_ms);

}  // namespace viv::recoup
