#include "dialects/recoup/sessions.h"

#include <functional>

#include "boxes/box_ids.h"
#include "dialects/recoup/account_row.h"
#include "dialects/recoup/auth.h"
#include "dialects/recoup/body.h"
#include "dialects/recoup/clone.h"
#include "dialects/recoup/errors.h"
#include "dialects/recoup/execution.h"
#include "dialects/recoup/new_box.h"
#include "dialects/recoup/shapes.h"

namespace viv::recoup {
namespace {

constexpr std::int64_t kProbeSeconds = 15;
constexpr std::int64_t kHibernatedSeconds = 7 * 24 * 3600;
constexpr char kClonedAnnotation[] = "recoup.branch";  // of the box, once its working copy exists

struct OpenRequest {
  std::string account_id;  // whose box it is
  std::string session_id;  // empty: a sandbox of no session
  CloneSource source;
};

// Returns the session's box, resumed or new. A box that an earlier attempt left incomplete is
// completed by the clone.
Task<Result<boxes::BoxPtr>> BoxForSession(Context& context, OpenRequest open_request) {
  if (!open_request.session_id.empty()) {
    auto known =
        context.boxes.GetByName(open_request.account_id, BoxNameOf(open_request.session_id));
    if (known) {
      auto woken =
          co_await context.boxes.Connect(open_request.account_id, (*known)->id, kBoxSeconds);
      if (!woken) co_return PassUp(woken.error(), "resume the sandbox");
      co_return woken->box;
    }
  }
  boxes::CreateBox wanted = NewBoxFor(open_request.account_id);
  wanted.idle_seconds = kSessionIdleSeconds;
  wanted.keep_stopped_seconds = kHibernatedSeconds;
  if (!open_request.session_id.empty()) wanted.name = BoxNameOf(open_request.session_id);
  co_return co_await CreateFromSnapshot(context, std::move(wanted));
}

// Creates the working copy if there is none; returns its branch.
Task<Result<std::string>> EnsureWorkingCopy(Context& context,
                                            boxes::BoxPtr box,
                                            OpenRequest open_request) {
  auto cloned = box->spec.annotations.find(kClonedAnnotation);
  if (cloned != box->spec.annotations.end()) co_return cloned->second;
  auto branch = co_await CloneInto(context, box->id, open_request.source);
  if (!branch) co_return PassUp(branch.error());
  boxes::MakeBoxChange change = [name = *branch](const boxes::Box&) {
    boxes::BoxChange made;
    made.annotations[kClonedAnnotation] = name;
    return made;
  };
  auto updated = co_await context.boxes.Update(open_request.account_id, box->id, std::move(change));
  if (!updated) co_return PassUp(updated.error());
  co_return *branch;
}

struct OpenedBox {
  boxes::BoxPtr box;
  std::string branch;
};

Task<Result<OpenedBox>> OpenBox(Context& context, OpenRequest open_request) {
  auto box = co_await BoxForSession(context, open_request);
  if (!box) co_return PassUp(box.error());
  auto branch = co_await EnsureWorkingCopy(context, *box, open_request);
  if (!branch) {
    Status ignored = co_await context.boxes.Remove(open_request.account_id, (*box)->id);
    co_return PassUp(branch.error());
  }
  OpenedBox opened{*box, *std::move(branch)};
  if (open_request.session_id.empty()) co_return opened;
  Session session = FindSession(context, open_request.session_id).value_or(Session());
  session.id = open_request.session_id;
  session.account_id = open_request.account_id;
  session.branch = opened.branch;
  session.version += 1;
  session.active_at_us = context.clock() * 1000;
  CO_RETURN_IF_ERROR(co_await SaveSession(context, std::move(session)), "store the session");
  co_return opened;
}

// The session of the query, if the caller may use it; else `failure`.
std::optional<Session> SessionOfQuery(const Context& context,
                                      const http::Request& request,
                                      http::Response& failure) {
  std::string id = request.Query("sessionId").value_or("");
  if (id.empty()) {
    failure = InvalidField("sessionId", "Missing sessionId");
    return std::nullopt;
  }
  std::optional<Session> session = FindSession(context, id);
  if (!session) {
    failure = Failure(404, "Session not found");
    return std::nullopt;
  }
  if (!context.accounts.MayActFor(request.identity.account_id, session->account_id)) {
    failure = Failure(403, "Forbidden");
    return std::nullopt;
  }
  return session;
}

boxes::BoxPtr BoxOf(const Context& context, const Session& session) {
  auto box = context.boxes.GetByName(session.account_id, BoxNameOf(session.id));
  return box ? *box : nullptr;
}

bool KeepsFiles(const boxes::BoxPtr& box) {
  return box != nullptr &&
         (box->state == boxes::BoxState::kPaused || box->state == boxes::BoxState::kStopped);
}

AsyncMutex& MutexOf(Context& context, const std::string& session_id) {
  return context
      .session_mutexes[std::hash<std::string>()(session_id) % context.session_mutexes.size()];
}

// Runs a command, to find out whether the box responds.
Task<void> Probe(Context& context, std::string box_id) {
  Execution execution{
      .box_id = std::move(box_id), .id = "probe-" + boxes::NewTemplateId(), .command = "pwd"};
  execution.timeout_seconds = kProbeSeconds;
  execution.response_timeout = std::chrono::seconds(kProbeSeconds);
  execution.begun_at_us = context.clock() * 1000;
  co_await Follow(context.boxes, execution);
}

}  // namespace

Task<http::Response> OpenSession(Context& context, http::Request& request) {
  const std::int64_t begun_ms = context.clock();
  BodyFields fields(request);
  std::optional<std::string> url = fields.Text("repoUrl");
  std::optional<std::string> session_id = fields.Text("sessionId");
  if (fields.ok() && !url) fields.Refuse("repoUrl", "the URL of a repository is expected");
  if (session_id && !IsSessionId(*session_id))
    fields.Refuse("sessionId", "up to 64 letters, digits, '-' or '_' are expected");
  if (!fields.ok()) co_return fields.failure();
  OpenRequest open_request;
  open_request.account_id = request.identity.account_id;
  open_request.session_id = session_id.value_or("");
  // Calls for one session are serialized: the second finds the box that the first created.
  AsyncMutex::Lock session_lock;
  if (!open_request.session_id.empty())
    session_lock = co_await MutexOf(context, open_request.session_id).Acquire();
  std::optional<Session> known = FindSession(context, open_request.session_id);
  if (known && !context.accounts.MayActFor(request.identity.account_id, known->account_id))
    co_return Failure(403, "Forbidden");
  if (known) open_request.account_id = known->account_id;
  auto source = CloneSourceOf(context, OriginOf(context, request), open_request.account_id, *url);
  if (!source) co_return InvalidField("repoUrl", source.error().message);
  open_request.source = *std::move(source);

  auto opened = co_await OpenBox(context, std::move(open_request));
  if (!opened) co_return Failure(502, "Failed to open the sandbox: " + opened.error().message);
  const std::int64_t now_ms = context.clock();
  json::object body{
      {"createdAt", opened->box->created_at_us / 1000},
      {"timeout", RemainingMs(*opened->box, now_ms)},
      {"currentBranch", opened->branch},
      {"mode", "vercel"},
      {"timing", json::object{{"readyMs", now_ms - begun_ms}}},
  };
  co_return http::Json(200, WriteJson(body));
}

Task<http::Response> GetSessionStatus(Context& context, http::Request& request) {
  http::Response failure;
  std::optional<Session> session = SessionOfQuery(context, request, failure);
  if (!session) co_return failure;
  boxes::BoxPtr box = BoxOf(context, *session);
  const bool active = box != nullptr && (box->state == boxes::BoxState::kRunning ||
                                         box->state == boxes::BoxState::kStarting);
  json::object body{
      {"status", active ? "active" : "no_sandbox"},
      {"hasSnapshot", KeepsFiles(box)},
      {"lifecycleVersion", session->version},
      {"lifecycle", ShowLifecycle(*session, box.get(), context.clock())},
  };
  co_return http::Json(200, WriteJson(body));
}

Task<http::Response> ReconnectSession(Context& context, http::Request& request) {
  http::Response failure;
  std::optional<Session> session = SessionOfQuery(context, request, failure);
  if (!session) co_return failure;
  boxes::BoxPtr box = BoxOf(context, *session);
  if (box != nullptr && box->state == boxes::BoxState::kRunning) {
    co_await Probe(context, box->id);
    box = BoxOf(context, *session);  // it may have ended meanwhile
  }
  json::object body{{"status", box == nullptr ? "no_sandbox" : "expired"},
                    {"hasSnapshot", KeepsFiles(box)}};
  if (box != nullptr && box->state == boxes::BoxState::kRunning) {
    body["status"] = "connected";
    body["expiresAt"] = box->ends_at_us / 1000;
    session->active_at_us = context.clock() * 1000;
    Status kept = co_await SaveSession(context, *session);
    if (!kept) co_return FailureOf(kept.error());
  }
  body["lifecycle"] = ShowLifecycle(*session, box.get(), context.clock());
  co_return http::Json(200, WriteJson(body));
}

}  // namespace viv::recoup
