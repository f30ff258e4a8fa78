#include <algorithm>
#include <cctype>

#include "base/timestamp.h"
#include "dialects/recoup/sessions.h"

namespace viv::recoup {
namespace {

std::string_view LifecycleState(const boxes::Box* box) {
  if (box == nullptr) return "archived";
  switch (box->state) {
    case boxes::BoxState::kStarting:
      return "provisioning";
    case boxes::BoxState::kRunning:
      return "active";
    case boxes::BoxState::kPaused:
    case boxes::BoxState::kStopped:
      return "hibernated";
    case boxes::BoxState::kFailed:
      return "failed";
  }
  return "failed";
}

constexpr std::size_t kSessionsPerAccountMax = 10'000;

// Removes the least recently used session whose box is gone, to make room for a new one.
Task<Status> MakeRoomForSession(Context& context, std::string account_id) {
  std::vector<accounts::DocumentTable::EntryPtr> all = context.sessions.List(account_id);
  if (all.size() < kSessionsPerAccountMax) co_return Status();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return FindString(a->body, "active_at") < FindString(b->body, "active_at");
  });
  for (const auto& entry : all) {
    if (context.boxes.GetByName(account_id, BoxNameOf(entry->id))) continue;
    co_return co_await context.sessions.Remove(entry->id);
  }
  co_return Fail(ErrorCode::kLimitExceeded, "the account has too many sessions with sandboxes");
}

}  // namespace

bool IsSessionId(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  });
}

std::string BoxNameOf(std::string_view session_id) {
  return "session-" + std::string(session_id);
}

std::optional<Session> FindSession(const Context& context, std::string_view id) {
  accounts::DocumentTable::EntryPtr entry = context.sessions.Find(id);
  if (entry == nullptr) return std::nullopt;
  Session session;
  session.id = entry->id;
  session.account_id = entry->account_id;
  session.branch = FindString(entry->body, "branch");
  const json::value* version = Find(entry->body, "version");
  if (version != nullptr && version->is_int64()) session.version = version->get_int64();
  session.active_at_us = ParseTime(FindString(entry->body, "active_at")).value_or(0);
  return session;
}

Task<Status> SaveSession(Context& context, Session session) {
  if (context.sessions.Find(session.id) == nullptr)
    CO_RETURN_IF_ERROR(co_await MakeRoomForSession(context, session.account_id));
  json::object body{
      {"branch", session.branch},
      {"version", session.version},
      {"active_at", TimeText(session.active_at_us)},
  };
  accounts::DocumentTable::Entry entry{session.id, session.account_id, std::move(body)};
  co_return co_await context.sessions.Put(std::move(entry));
}

json::object ShowLifecycle(const Session& session, const boxes::Box* box, std::int64_t now_ms) {
  json::object shown{
      {"serverTime", now_ms},      {"state", LifecycleState(box)}, {"lastActivityAt", nullptr},
      {"hibernateAfter", nullptr}, {"sandboxExpiresAt", nullptr},
  };
  if (session.active_at_us == 0 && box == nullptr) return shown;
  const std::int64_t started_us = box == nullptr ? 0 : box->started_at_us;
  const std::int64_t active_ms = std::max(session.active_at_us, started_us) / 1000;
  shown["lastActivityAt"] = active_ms;
  if (box == nullptr || box->state != boxes::BoxState::kRunning) return shown;
  shown["hibernateAfter"] = active_ms + kSessionIdleSeconds * 1000;
  shown["sandboxExpiresAt"] = box->ends_at_us / 1000;
  return shown;
}

}  // namespace viv::recoup
