#include "worlds/sandboxes.h"

#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"
#include "engine/limits/work.h"

namespace viv::worlds {
namespace {

constexpr std::size_t kExpiredAtOnce = 1000;
constexpr std::int64_t kMicros = 1'000'000;

tl::unexpected<Error> NotFound() {
  return Fail(ErrorCode::kNotFound, "Sandbox not found");
}

bool HasExpired(const store::Sandbox& sandbox) {
  return sandbox.expires_at_us && *sandbox.expires_at_us <= NowMicros();
}

// The signed-in person's address with a tag of its own: each pooled account has its own, and all
// mean the same person.
std::string PooledEmail(const engine::App& app, const std::string& sandbox_id) {
  auto found = app.identity.find("email");
  std::string email = found == app.identity.end() ? app.name + "@vivarium.test" : found->second;
  std::size_t at = email.find('@');
  return email.substr(0, at) + "+" + sandbox_id.substr(0, 8) +
         (at == std::string::npos ? "" : email.substr(at));
}

accounts::Amounts OneWorld() {
  accounts::Amounts one;
  one[accounts::Budget::kWorlds] = 1;
  return one;
}

store::Sandbox WithoutLease(store::Sandbox sandbox) {
  sandbox.state = store::SandboxState::kIdle;
  sandbox.account_id.clear();
  sandbox.lease_id.clear();
  sandbox.expires_at_us.reset();
  sandbox.benchmark.clear();
  sandbox.image.clear();
  sandbox.tags_json = "null";
  sandbox.settings_json = "{}";
  sandbox.error.clear();
  sandbox.updated_at_us = NowMicros();
  return sandbox;
}

}  // namespace

// Usage is counted from the records, whatever an earlier server did last.
Sandboxes::Sandboxes(store::Store& store,
                     engine::Catalogue& catalogue,
                     Worlds& worlds,
                     FairPool& pool,
                     SandboxLimits limits)
    : store_(store), catalogue_(catalogue), worlds_(worlds), pool_(pool), limits_(limits) {
  if (limits_.budgets == nullptr) return;
  store_.ForEachSandbox([this](const store::Sandbox& sandbox) {
    if (!sandbox.account_id.empty()) limits_.budgets->TakeUnchecked(sandbox.account_id, OneWorld());
  });
}

// Charges the account's budget before the lease is acquired, and returns the charge if that fails.
Task<Result<store::SandboxPtr>> Sandboxes::TakeLease(store::SandboxStore::AcquireRequest request) {
  accounts::Charge charge(limits_.budgets, request.lease.account_id);
  CO_RETURN_IF_ERROR(charge.Set(OneWorld()));
  auto acquired = co_await store_.Acquire(std::move(request));
  if (acquired) charge.Detach();
  co_return acquired;
}

Task<Status> Sandboxes::EndLease(store::SandboxPtr sandbox, store::Sandbox idle_record) {
  Status done = co_await store_.Update(std::move(idle_record), sandbox->lease_id);
  if (done && limits_.budgets != nullptr) limits_.budgets->Return(sandbox->account_id, OneWorld());
  co_return done;
}

store::Sandbox Sandboxes::NewLease(const engine::LoadedApp& loaded,
                                   const AcquireOptions& options) const {
  store::Sandbox lease;
  lease.id = RandomUuid();
  lease.kind = store::SandboxKind::kWorld;
  lease.server = loaded.app->name;
  lease.email = PooledEmail(*loaded.app, lease.id);
  lease.state = store::SandboxState::kOccupied;
  lease.account_id = options.account_id;
  lease.lease_id = RandomUuid();
  lease.created_at_us = lease.updated_at_us = NowMicros();
  if (options.ttl_seconds)
    lease.expires_at_us = lease.updated_at_us + *options.ttl_seconds * kMicros;
  lease.benchmark = options.benchmark;
  lease.image = engine::Catalogue::VersionOf(*loaded.app);
  lease.tags_json = json::serialize(options.tags);
  lease.settings_json = "{}";
  return lease;
}

Task<Result<store::SandboxPtr>> Sandboxes::Acquire(AcquireOptions options) {
  engine::LoadedAppPtr loaded = catalogue_.Find(options.server);
  if (loaded == nullptr)
    co_return Fail(ErrorCode::kNotFound, "There is no app named '" + options.server + "'");
  store::SandboxStore::AcquireRequest request;
  request.lease = NewLease(*loaded, options);
  request.email = options.email;
  if (options.email) request.lease.email = *options.email;
  request.sandboxes_max = limits_.sandboxes_per_server_max;
  auto acquired = co_await TakeLease(std::move(request));
  if (acquired)
    log::Debug("sandbox.acquired", {{"sandbox", (*acquired)->id}, {"server", (*acquired)->server}});
  co_return acquired;
}

Result<store::SandboxPtr> Sandboxes::Get(const SandboxRef& ref) const {
  auto found = store_.GetSandbox(ref.sandbox_id);
  if (!found) return NotFound();
  const store::Sandbox& sandbox = **found;
  bool holds = sandbox.state != store::SandboxState::kIdle && sandbox.account_id == ref.account_id;
  bool fits = ref.server.empty() || EqualsIgnoreCase(sandbox.server, ref.server);
  if (!holds || !fits || HasExpired(sandbox)) return NotFound();
  return found;
}

Result<store::SandboxPtr> Sandboxes::FindLease(std::string_view lease_id) const {
  auto found = store_.GetSandboxByLease(lease_id);
  if (!found || HasExpired(**found)) return NotFound();
  return found;
}

Task<Result<Sandboxes::Released>> Sandboxes::Release(SandboxRef ref,
                                                     std::optional<std::string> instance_id) {
  ASSIGN_OR_CO_RETURN(store::SandboxPtr sandbox, Get(ref));
  Released released;
  if (instance_id && *instance_id != sandbox->lease_id) {
    released.sandbox = sandbox;
    released.skipped = true;
    co_return released;
  }
  store::Sandbox idle_record = WithoutLease(*sandbox);
  released.sandbox = std::make_shared<const store::Sandbox>(idle_record);
  Status done = co_await EndLease(sandbox, std::move(idle_record));
  if (!done && done.error().code == ErrorCode::kConflict)
    co_return NotFound();  // another request released it first
  CO_RETURN_IF_ERROR(done);
  worlds_.Remove(sandbox->lease_id);
  log::Debug("sandbox.released", {{"sandbox", sandbox->id}});
  co_return released;
}

// Runs `work` with the world locked, as long as one operation may take and its lease lasts.
template <typename Work>
auto Sandboxes::RunLocked(LiveWorld& live, Work& work)
    -> decltype(work(std::declval<engine::World&>())) {
  std::lock_guard lock(live.mutex);
  if (live.world == nullptr || live.ended) return NotFound();
  engine::Work allowed(
      {.memory_bytes_max = limits_.operation_memory_bytes, .time_max = limits_.operation_time},
      &live.ended, &stopping_);
  engine::WorkScope scope(allowed);
  auto done = work(*live.world);
  if (!done && allowed.ended())
    return Fail(ErrorCode::kLimitExceeded, "The operation took too long and was stopped");
  return done;
}

// On the pool: everything but short tool calls.
template <typename Work>
auto Sandboxes::WithWorld(SandboxRef ref, Work work)
    -> Task<decltype(work(std::declval<engine::World&>()))> {
  ASSIGN_OR_CO_RETURN(store::SandboxPtr sandbox, Get(ref));
  ASSIGN_OR_CO_RETURN(LiveWorldPtr live, co_await Open(sandbox));
  auto locked = [this, &live, &work] { return RunLocked(*live, work); };
  co_return co_await pool_.Run(live->account_id, locked);
}

Task<Result<LiveWorldPtr>> Sandboxes::Open(store::SandboxPtr sandbox) {
  auto live = worlds_.Find(*sandbox);
  if (live) co_return live;
  log::Error("world.unreadable", {{"sandbox", sandbox->id}, {"error", live.error().message}});
  store::Sandbox broken = *sandbox;
  broken.state = store::SandboxState::kError;
  broken.error = live.error().message;
  Status marked = co_await store_.Update(std::move(broken), sandbox->lease_id);
  if (!marked)
    log::Error("sandbox.not_marked", {{"sandbox", sandbox->id}, {"error", marked.error().message}});
  co_return Fail(ErrorCode::kUnavailable,
                 "The sandbox's state cannot be read; reset or release it");
}

Task<Status> Sandboxes::Reset(SandboxRef ref) {
  ASSIGN_OR_CO_RETURN(store::SandboxPtr sandbox, Get(ref));
  if (!worlds_.Find(*sandbox))
    worlds_.Remove(sandbox->lease_id);  // an unreadable world is discarded
  ASSIGN_OR_CO_RETURN(LiveWorldPtr live, co_await Open(sandbox));
  if (sandbox->state == store::SandboxState::kError) {
    store::Sandbox repaired = *sandbox;
    repaired.state = store::SandboxState::kOccupied;
    repaired.error.clear();
    CO_RETURN_IF_ERROR(co_await store_.Update(std::move(repaired), sandbox->lease_id));
  }
  // Cheap enough for the connection's thread: a few pointers and, if the world has changed, one
  // unlink.
  if (std::unique_lock lock(live->mutex, std::try_to_lock); lock) {
    if (live->world == nullptr) co_return NotFound();
    co_return live->world->Reset();
  }
  auto work = [](engine::World& world) { return world.Reset(); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<engine::LoadReport>> Sandboxes::Initialize(SandboxRef ref,
                                                       engine::World::StartFrom start,
                                                       json::value document) {
  auto work = [&](engine::World& world) { return world.Initialize(start, document); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<json::value>> Sandboxes::Dump(SandboxRef ref, engine::DumpForm form) {
  auto work = [form](engine::World& world) { return world.Dump(form); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<json::value>> Sandboxes::Save(SandboxRef ref) {
  auto work = [](engine::World& world) { return world.Save(); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<json::value>> Sandboxes::Diff(SandboxRef ref) {
  auto work = [](engine::World& world) { return world.Diff(); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<json::value>> Sandboxes::Verify(SandboxRef ref, json::array expectations) {
  auto work = [&](engine::World& world) { return world.Verify(expectations); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<store::SandboxPtr>> Sandboxes::Fork(SandboxRef ref) {
  ASSIGN_OR_CO_RETURN(store::SandboxPtr origin, Get(ref));
  ASSIGN_OR_CO_RETURN(LiveWorldPtr live, co_await Open(origin));
  ASSIGN_OR_CO_RETURN(engine::LoadedAppPtr loaded, catalogue_.FindVersion(origin->image));
  AcquireOptions options;
  options.account_id = origin->account_id;
  store::Sandbox lease = NewLease(*loaded, options);
  lease.benchmark = origin->benchmark;
  lease.expires_at_us = origin->expires_at_us;
  lease.tags_json = origin->tags_json;
  lease.settings_json = origin->settings_json;
  // The copy's file comes first: a record must never point at a state that is not there.
  auto copy = [this, &live, &lease] { return worlds_.Copy(*live, lease); };
  CO_RETURN_IF_ERROR(co_await pool_.Run(live->account_id, copy));
  std::string lease_id = lease.lease_id;
  store::SandboxStore::AcquireRequest request;
  request.lease = std::move(lease);
  request.sandboxes_max = limits_.sandboxes_per_server_max;
  auto acquired = co_await TakeLease(std::move(request));
  if (!acquired) worlds_.Remove(lease_id);
  co_return acquired;
}

Task<Status> Sandboxes::SetFaults(SandboxRef ref, json::value document) {
  ASSIGN_OR_CO_RETURN(store::SandboxPtr sandbox, Get(ref));
  ASSIGN_OR_CO_RETURN(LiveWorldPtr live, co_await Open(sandbox));
  Faults checked;
  CO_RETURN_IF_ERROR(checked.Set(document));
  store::Sandbox changed = *sandbox;
  changed.settings_json = json::serialize(checked.Describe());
  CO_RETURN_IF_ERROR(co_await store_.Update(std::move(changed), sandbox->lease_id));
  co_return live->faults.Set(document);
}

Task<Result<json::value>> Sandboxes::GetFaults(SandboxRef ref) {
  ASSIGN_OR_CO_RETURN(store::SandboxPtr sandbox, Get(ref));
  ASSIGN_OR_CO_RETURN(LiveWorldPtr live, co_await Open(sandbox));
  co_return live->faults.Describe();
}

Task<Status> Sandboxes::SetClock(SandboxRef ref,
                                 engine::ClockMode mode,
                                 std::optional<std::int64_t> now_ms) {
  auto work = [&](engine::World& world) { return world.SetClock(mode, now_ms); };
  co_return co_await WithWorld(std::move(ref), work);
}

Task<Result<engine::WorldState>> Sandboxes::Clock(SandboxRef ref) {
  auto work = [](engine::World& world) { return world.State(); };
  co_return co_await WithWorld(std::move(ref), work);
}

// Most calls take microseconds, less than a change of threads would: they run on the connection's
// thread, under limits. Nothing when the call reaches one, or its world is busy; it has changed
// nothing then.
std::optional<Result<engine::ToolResult>> Sandboxes::CallInline(LiveWorld& live,
                                                                const std::string& tool,
                                                                const json::object& arguments) {
  std::unique_lock lock(live.mutex, std::try_to_lock);
  if (!lock) return std::nullopt;
  if (live.world == nullptr) return NotFound();
  const engine::Tool* found = live.world->app().tool(live.world->profile(), tool);
  if (found != nullptr && found->slow) return std::nullopt;
  engine::Work allowed({.time_max = limits_.inline_time}, &live.ended, &stopping_);
  engine::WorkScope scope(allowed);
  auto response = live.world->Call(tool, arguments, limits_.inline_steps);
  if (!response && (response.error().code == ErrorCode::kLimitExceeded || allowed.ended()))
    return std::nullopt;
  return response;
}

Task<Result<engine::ToolResult>> Sandboxes::Call(LiveWorldPtr live,
                                                 std::string tool,
                                                 json::object arguments,
                                                 const std::atomic<bool>& cancelled) {
  if (auto response = CallInline(*live, tool, arguments)) co_return *std::move(response);
  std::int64_t steps_max = limits_.call_steps_max;
  auto call = [&tool, &arguments, &cancelled, steps_max](engine::World& world) {
    return world.Call(tool, arguments, steps_max, &cancelled);
  };
  auto work = [this, &live, &call] { return RunLocked(*live, call); };
  co_return co_await pool_.Run(live->account_id, work);
}

Task<std::size_t> Sandboxes::ReleaseExpired() {
  std::size_t released = 0;
  for (const store::SandboxPtr& sandbox : store_.ExpiredAt(NowMicros(), kExpiredAtOnce)) {
    Status done = co_await EndLease(sandbox, WithoutLease(*sandbox));
    if (!done) continue;  // released or renewed meanwhile
    worlds_.Remove(sandbox->lease_id);
    ++released;
    log::Info("sandbox.expired", {{"sandbox", sandbox->id}, {"server", sandbox->server}});
  }
  co_return released;
}

}  // namespace viv::worlds
