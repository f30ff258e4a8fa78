#include "local/local_sandboxes.h"

#include <functional>
#include <utility>

#include "base/ids.h"
#include "boxes/box_ids.h"

namespace viv::local {
namespace {

constexpr char kUsualTemplate[] = "base";
constexpr std::size_t kLocalListMax = 10'000;
constexpr std::int64_t kLocalIdleSeconds = 600;
// Spreadsheets and documents are read whole by the programs that agents use for them.
constexpr std::int64_t kLocalMemoryBytes = 2LL << 30;

tl::unexpected<Error> NoSuchLocal(std::string_view uuid) {
  return Fail(ErrorCode::kNotFound, "Local sandbox '" + std::string(uuid.substr(0, 64)) +
                                        "' not found: it does not exist or has been released");
}

}  // namespace

// All servers of a sandbox are in one box, so they must agree on what it is made from.
Result<std::string> LocalSandboxes::TemplateFor(const std::vector<std::string>& servers) const {
  std::string chosen;
  std::string by;
  bool any = false;
  for (const std::string& name : servers) {
    const LocalServer* server = servers_.Find(name);
    if (server == nullptr && IsVendorsLocalServer(name)) continue;
    if (server == nullptr) return Fail(ErrorCode::kInvalidArgument, "no server '" + name + "'");
    any = true;
    if (server->template_name.empty()) continue;
    if (!chosen.empty() && chosen != server->template_name)
      return Fail(ErrorCode::kInvalidArgument,
                  "'" + by + "' and '" + name +
                      "' need different templates: acquire them in sandboxes of their own");
    chosen = server->template_name;
    by = name;
  }
  if (!any) return Fail(ErrorCode::kInvalidArgument, "none of these servers is on offer here");
  return chosen.empty() ? std::string(kUsualTemplate) : chosen;
}

Task<Result<boxes::BoxPtr>> LocalSandboxes::Acquire(AcquireLocal request) {
  if (!overlays_)
    co_return Fail(ErrorCode::kUnavailable,
                   "this server has no local sandboxes: viv-tools is missing beside viv");
  ASSIGN_OR_CO_RETURN(std::string template_name, TemplateFor(request.servers));
  LocalAnnotation annotation;
  for (std::string& name : request.servers)
    annotation.servers.push_back({.name = std::move(name), .id = RandomUuid()});
  annotation.benchmark = request.benchmark;
  annotation.dialect_data = std::move(request.dialect_data);
  boxes::CreateBox create;
  create.account_id = std::move(request.account_id);
  create.template_name = std::move(template_name);
  create.extra_layers = overlays_(annotation.benchmark);
  create.annotations[kLocalAnnotation] = WriteLocalAnnotation(annotation);
  create.timeout_seconds = request.ttl_seconds;
  create.on_timeout = boxes::OnTimeout::kKill;
  create.wake = boxes::WakeOnTraffic::kAlways;
  // The timeout counts only while a box runs, so only a box without one is paused when it is idle.
  if (request.ttl_seconds == 0) create.idle_seconds = kLocalIdleSeconds;
  create.keep_stopped_seconds = request.ttl_seconds;
  create.keep_memory = true;  // its servers have state in memory
  // Its id gives access to its servers, so it must not be part of a public address.
  create.network.public_traffic = false;
  create.user = "user";
  create.workdir = std::string(kWorkspace);
  runtime::Limits limits;
  limits.memory_bytes = kLocalMemoryBytes;
  create.limits = limits;
  co_return co_await boxes_.Create(std::move(create));
}

Result<boxes::BoxPtr> LocalSandboxes::Get(std::string_view account_id,
                                          std::string_view uuid) const {
  const std::optional<std::string> id = boxes::BoxOfUuid(uuid);
  if (!id) return NoSuchLocal(uuid);
  auto box = boxes_.Get(account_id, *id);
  if (!box || !LocalAnnotationOf(**box)) return NoSuchLocal(uuid);
  return box;
}

Result<boxes::BoxPtr> LocalSandboxes::Find(std::string_view box_id) const {
  auto box = boxes_.Find(box_id);
  if (!box || !LocalAnnotationOf(**box)) return NoSuchLocal(box_id);
  return box;
}

Result<boxes::BoxPtr> LocalSandboxes::GetByServer(std::string_view account_id,
                                                  std::string_view uuid) const {
  if (auto box = Get(account_id, uuid)) return box;
  for (boxes::BoxPtr& box : List(account_id)) {
    const std::optional<LocalAnnotation> annotation = LocalAnnotationOf(*box);
    for (const LocalAnnotation::Server& server : annotation->servers)
      if (server.id == uuid) return std::move(box);
  }
  return NoSuchLocal(uuid);
}

std::vector<boxes::BoxPtr> LocalSandboxes::List(std::string_view account_id) const {
  boxes::BoxQuery query;
  query.account_id = account_id;
  query.accept = [](const boxes::Box& box) { return LocalAnnotationOf(box).has_value(); };
  query.sort_by = boxes::BoxQuery::SortBy::kCreation;
  query.limit = kLocalListMax;
  return boxes_.List(query).boxes;
}

Task<Status> LocalSandboxes::Release(boxes::BoxPtr box) {
  co_return co_await boxes_.Remove(box->account_id, box->id);
}

Task<Status> LocalSandboxes::Reset(boxes::BoxPtr box) {
  co_return co_await boxes_.Reset(box->account_id, box->id);
}

Task<Status> LocalSandboxes::SetDialectData(boxes::BoxPtr box, json::object dialect_data) {
  boxes::MakeBoxChange change =
      [dialect_data = std::move(dialect_data)](const boxes::Box& now) -> Result<boxes::BoxChange> {
    std::optional<LocalAnnotation> annotation = LocalAnnotationOf(now);
    if (!annotation) return Fail(ErrorCode::kNotFound, "the box is no local sandbox");
    annotation->dialect_data = dialect_data;
    boxes::BoxChange made;
    made.annotations[kLocalAnnotation] = WriteLocalAnnotation(*annotation);
    return made;
  };
  auto changed = co_await boxes_.Update(box->account_id, box->id, std::move(change));
  if (!changed) co_return PassUp(std::move(changed).error());
  co_return Status();
}

Task<Status> LocalSandboxes::Run(boxes::BoxPtr box,
                                 boxes::AgentProgram program,
                                 boxes::ByteSource input,
                                 boxes::ByteSink output) {
  ASSIGN_OR_CO_RETURN(UniqueFd connection, co_await boxes_.DialAgent(box->id));
  std::string token = boxes_.AgentToken(box->id);
  co_return co_await boxes::RunPiped(std::move(connection), std::move(token), std::move(program),
                                     std::move(input), std::move(output));
}

namespace {

Task<Status> TakeText(std::string& text, std::size_t bytes_max, std::string piece) {
  if (piece.size() > bytes_max - text.size())
    co_return Fail(ErrorCode::kLimitExceeded, "the sandbox answers with too much");
  text += piece;
  co_return Status();
}

}  // namespace

Task<Result<std::string>> LocalSandboxes::RunForText(boxes::BoxPtr box,
                                                     boxes::AgentProgram program,
                                                     boxes::ByteSource input,
                                                     std::size_t bytes_max) {
  std::string text;
  boxes::ByteSink take = [&text, bytes_max](std::string piece) {
    return TakeText(text, bytes_max, std::move(piece));
  };
  CO_RETURN_IF_ERROR(
      co_await Run(std::move(box), std::move(program), std::move(input), std::move(take)));
  co_return text;
}

Task<Status> LocalSandboxes::Start(boxes::BoxPtr box, boxes::BackgroundCommand command) {
  ASSIGN_OR_CO_RETURN(UniqueFd connection, co_await boxes_.DialAgent(box->id));
  std::string token = boxes_.AgentToken(box->id);
  co_return co_await boxes::StartInBackground(std::move(connection), std::move(token),
                                              std::move(command));
}

Task<AsyncMutex::Lock> LocalSandboxes::LockWorkspace(boxes::BoxPtr box) {
  return mutexes_[std::hash<std::string>()(box->id) % mutexes_.size()].Acquire();
}

}  // namespace viv::local
