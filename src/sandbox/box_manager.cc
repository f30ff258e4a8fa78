#include "sandbox/box_manager.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "base/shielded.h"
#include "sandbox/agent_client.h"
#include "sandbox/box_ids.h"

namespace viv::sandbox {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::size_t kEventsMax = 1000;

tl::unexpected<Error> NoSuchBox(std::string_view id) {
  return Fail(ErrorCode::kNotFound, "box " + std::string(id) + " does not exist");
}

}  // namespace

BoxManager::BoxManager(store::Store& store,
                       BoxHost& host,
                       templates::Templates& templates,
                       BlockingPool& pool,
                       BoxManagerOptions options,
                       DeathWatch deaths)
    : store_(store),
      host_(host),
      pool_(pool),
      options_(std::move(options)),
      layers_(host.storage()),
      templates_(store, templates, layers_),
      deaths_(std::move(deaths)) {}

BoxManager::~BoxManager() {
  layers_.KeepAll();  // boxes and snapshots stay on them
}

Result<std::unique_ptr<BoxManager>> BoxManager::Open(store::Store& store,
                                                     BoxHost& host,
                                                     templates::Templates& templates,
                                                     BlockingPool& pool,
                                                     BoxManagerOptions options) {
  ASSIGN_OR_RETURN(DeathWatch deaths, DeathWatch::Open());
  std::unique_ptr<BoxManager> manager(
      new BoxManager(store, host, templates, pool, std::move(options), std::move(deaths)));
  RETURN_IF_ERROR(manager->templates_.Load(), "snapshots");
  RETURN_IF_ERROR(manager->AdoptAll(), "boxes");
  manager->parked_ = std::make_unique<ParkedBoxes>(host, manager->options_.parked);
  auto base = manager->templates_.Resolve("", "base");
  if (base) {
    BoxHost::StartRequest request{.trees = base->trees,
                                  .folder = {},
                                  .limits = base->limits,
                                  .disk_bytes = base->disk_bytes,
                                  .egress = {}};
    manager->parked_->Keep(base->id, std::move(request));
  }
  return manager;
}

Result<BoxPtr> BoxManager::Find(std::string_view id) const {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr) return NoSuchBox(id);
  return found.box;
}

Result<BoxPtr> BoxManager::Get(std::string_view account_id, std::string_view id) const {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr || found.box->account_id != account_id) return NoSuchBox(id);
  return found.box;
}

Result<BoxPtr> BoxManager::GetByName(std::string_view account_id, std::string_view name) const {
  BoxIndex::Found found;
  if (!name.empty()) found = index_.FindByName(account_id, name);
  if (found.box == nullptr) return NoSuchBox(name);
  return found.box;
}

void BoxManager::ForEachRunning(const std::function<void(const Box&)>& visit) const {
  index_.ForEach([&visit](const BoxIndex::Found& found) {
    if (found.box->state == BoxState::kRunning) visit(*found.box);
  });
}

namespace {

std::string DeriveToken(std::string_view secret, std::string_view purpose, std::string_view id) {
  std::string message = std::string(purpose) + ":" + std::string(id);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  ::HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
         reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest, &size);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string token;
  for (unsigned i = 0; i < std::min(size, 20U); ++i) {
    token += kDigits[digest[i] >> 4];
    token += kDigits[digest[i] & 15];
  }
  return token;
}

}  // namespace

std::string BoxManager::AgentToken(std::string_view id) const {
  return DeriveToken(options_.secret, "agent", id);
}

std::string BoxManager::TrafficToken(std::string_view id) const {
  return DeriveToken(options_.secret, "traffic", id);
}

std::int64_t BoxManager::EndOf(const BoxSpec& spec, std::int64_t now_us, std::int64_t seconds) {
  return spec.timeout_seconds == 0 ? kNoEndUs : now_us + seconds * kSecondUs;
}

Task<Result<BoxManager::Held>> BoxManager::Hold(std::string account_id, std::string id) {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr || (!account_id.empty() && found.box->account_id != account_id))
    co_return NoSuchBox(id);
  Held held;
  held.entry = found.entry;
  held.lock = co_await held.entry->busy.Acquire();
  held.box = index_.Find(id).box;  // it may have changed, or gone, while we waited
  if (held.box == nullptr) co_return NoSuchBox(id);
  co_return held;
}

void BoxManager::Show(const BoxEntryPtr& entry, Box box) {
  index_.Put(entry, std::move(box));
}

void BoxManager::Note(BoxEntry& entry, std::string message) {
  LogEntry event;
  event.at_us = NowMicros();
  event.level = "info";
  event.message = std::move(message);
  entry.events.push_back(std::move(event));
  if (entry.events.size() > kEventsMax) entry.events.erase(entry.events.begin());
}

Task<Status> BoxManager::Commit(BoxEntryPtr entry, Box box) {
  BoxRecord record{box, entry->live ? entry->live->place : entry->place};
  store::Document document{kBoxKind, box.id, box.account_id, WriteBoxRecord(record)};
  CO_RETURN_IF_ERROR(co_await store_.PutDocument(std::move(document)), "keep the box's record");
  Show(entry, std::move(box));
  co_return Status();
}

Task<Result<std::unique_ptr<LiveBox>>> BoxManager::StartOnPool(BoxHost::StartRequest request) {
  auto work = [this, &request] { return host_.Start(request); };
  co_return co_await pool_.Run(work);
}

Task<void> BoxManager::EndOnPool(std::unique_ptr<LiveBox> live, BoxHost::Files files) {
  deaths_.Forget(live->place.name);
  auto work = [this, &live, files] {
    host_.End(std::move(live), files);
    return true;
  };
  co_await pool_.Run(work);
}

Task<Status> BoxManager::SetUp(const LiveBox& live, const Box& box) {
  ASSIGN_OR_CO_RETURN(UniqueFd connection, host_.DialAgent(live.place));
  AgentSetup setup;
  setup.token = AgentToken(box.id);
  setup.variables = box.spec.variables;
  setup.variables["E2B_SANDBOX"] = "true";
  setup.variables["E2B_SANDBOX_ID"] = box.id;
  setup.variables["E2B_TEMPLATE_ID"] = box.spec.template_id;
  setup.user = box.spec.user;
  setup.workdir = box.spec.workdir;
  co_return co_await SetUpAgent(std::move(connection), std::move(setup));
}

Task<Result<BoxPtr>> BoxManager::Create(CreateBox request) {
  co_return co_await Shielded(CreateNow(std::move(request)));
}

Task<Result<BoxPtr>> BoxManager::CreateNow(CreateBox request) {
  ASSIGN_OR_CO_RETURN(StartPoint from,
                      templates_.Resolve(request.account_id, request.template_name));
  Box box;
  box.account_id = std::move(request.account_id);
  BoxSpec& spec = box.spec;
  spec.user = request.user.value_or(from.user);
  spec.workdir = request.workdir.value_or(from.workdir);
  spec.limits = request.limits.value_or(from.limits);
  spec.disk_bytes = request.disk_bytes.value_or(from.disk_bytes);
  spec.name = std::move(request.name);
  spec.notes = std::move(request.notes);
  spec.metadata = std::move(request.metadata);
  spec.variables = from.variables;
  for (auto& [name, value] : request.variables) spec.variables[name] = std::move(value);
  spec.network = std::move(request.network);
  spec.on_timeout = request.on_timeout;
  spec.wake = request.wake;
  spec.timeout_seconds = request.timeout_seconds;
  spec.idle_seconds = request.idle_seconds;
  spec.keep_memory = request.keep_memory;
  spec.keep_stopped_seconds = request.keep_stopped_seconds;
  spec.lasting = request.lasting;
  if (request.answer == CreateBox::Answer::kNow)
    co_return co_await StartLater(std::move(from), std::move(box));
  co_return co_await StartNew(std::move(from), std::move(box));
}

Status BoxManager::Register(const StartPoint& from, Box& box) {
  if (index_.size() >= options_.boxes_max) {
    return Fail(ErrorCode::kLimitExceeded, "this server holds " +
                                               std::to_string(options_.boxes_max) +
                                               " boxes already: end some, or raise --boxes-max");
  }
  box.id = NewBoxId();
  box.spec.template_id = from.id;
  box.spec.template_name = from.name;
  if (box.spec.name.empty() || index_.ClaimName(box.account_id, box.spec.name, box.id)) return {};
  return Fail(ErrorCode::kConflict, "the name '" + box.spec.name + "' is taken by another box");
}

Task<Result<BoxPtr>> BoxManager::StartNew(StartPoint from, Box box) {
  CO_RETURN_IF_ERROR(Register(from, box));
  auto entry = std::make_shared<BoxEntry>();
  entry->id = box.id;
  entry->layers = from.hold;
  AsyncMutex::Lock lock = co_await entry->busy.Acquire();
  Status ready = co_await Bring(entry, from, box);
  if (!ready) {
    index_.ReleaseName(box.account_id, box.spec.name, box.id);
    co_return PassUp(std::move(ready).error());
  }
  co_return index_.Find(box.id).box;
}

// Its processes, its setup and its record. Where one fails nothing is left of the others.
Task<Status> BoxManager::Bring(BoxEntryPtr entry, const StartPoint& from, Box box) {
  BoxHost::StartRequest request;
  request.trees = from.trees;
  request.limits = from.limits;
  request.disk_bytes = from.disk_bytes;
  if (!from.is_snapshot) {
    entry->live = parked_->Take(from.id);
    parked_->Keep(from.id, request);
  }
  Status ready;
  if (entry->live != nullptr) {
    ready = AdaptParked(*entry->live, from, box.spec);
  } else {
    request.limits = box.spec.limits;
    request.disk_bytes = box.spec.disk_bytes;
    request.egress = box.spec.network.egress;
    auto started = co_await StartOnPool(std::move(request));
    if (!started) co_return PassUp(std::move(started).error());
    entry->live = *std::move(started);
  }
  if (ready) ready = co_await SetUp(*entry->live, box);
  if (ready) {
    box.state = BoxState::kRunning;
    box.started_at_us = box.updated_at_us = NowMicros();
    if (box.created_at_us == 0) box.created_at_us = box.started_at_us;
    box.ends_at_us = EndOf(box.spec, box.started_at_us, box.spec.timeout_seconds);
    Note(*entry, "Sandbox created");
    ready = co_await Commit(entry, box);
  }
  if (!ready) {
    co_await EndOnPool(std::move(entry->live), BoxHost::Files::kRemove);
    co_return ready;
  }
  deaths_.Add(entry->live->pidfd.get(), entry->live->place.name);
  entry->place = entry->live->place;
  log::Info("box.created", {{"box", box.id}, {"template", box.spec.template_name}});
  co_return Status();
}

// A parked box has the limits of its template and may connect anywhere.
Status BoxManager::AdaptParked(LiveBox& live, const StartPoint& from, const BoxSpec& spec) {
  if (spec.limits != from.limits) RETURN_IF_ERROR(live.cgroup->SetLimits(spec.limits), "limit it");
  if (spec.disk_bytes != from.disk_bytes)
    RETURN_IF_ERROR(host_.storage().SetLimit(live.place.folder, spec.disk_bytes), "limit its disk");
  if (spec.network.egress == network::Policy()) return {};
  return host_.SetPolicy(live.place, spec.network.egress);
}

// Kept and shown at once; whoever wants more of it waits for the lock, which goes along.
Task<Result<BoxPtr>> BoxManager::StartLater(StartPoint from, Box box) {
  CO_RETURN_IF_ERROR(Register(from, box));
  auto entry = std::make_shared<BoxEntry>();
  entry->id = box.id;
  entry->layers = from.hold;
  entry->place.trees = from.trees;
  Held held;
  held.entry = entry;
  held.lock = co_await entry->busy.Acquire();
  box.state = BoxState::kStarting;
  box.created_at_us = box.started_at_us = box.updated_at_us = NowMicros();
  box.ends_at_us = kNoEndUs;
  Status kept = co_await Commit(entry, box);
  if (!kept) {
    index_.ReleaseName(box.account_id, box.spec.name, box.id);
    co_return PassUp(std::move(kept).error());
  }
  held.box = index_.Find(box.id).box;
  BoxPtr shown = held.box;
  auto executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, FinishStart(std::move(held), std::move(from)), asio::detached);
  co_return shown;
}

Task<void> BoxManager::FinishStart(Held held, StartPoint from) {
  Status ready = co_await Bring(held.entry, from, *held.box);
  if (ready) co_return;
  log::Warn("box.not_started", {{"box", held.box->id}, {"error", ready.error().message}});
  std::ignore = co_await FailHeld(held, ready.error().message);
}

Task<Status> BoxManager::Remove(std::string account_id, std::string id) {
  co_return co_await Shielded(RemoveNow(std::move(account_id), std::move(id)));
}

Task<Status> BoxManager::RemoveNow(std::string account_id, std::string id) {
  ASSIGN_OR_CO_RETURN(Held held, co_await Hold(std::move(account_id), std::move(id)));
  co_return co_await RemoveHeld(held);
}

// The record goes first: what is left of the box after a crash has none, and is swept.
Task<Status> BoxManager::RemoveHeld(Held& held) {
  const std::string id = held.box->id;
  CO_RETURN_IF_ERROR(co_await store_.RemoveDocument(kBoxKind, id), "forget the box");
  index_.Remove(id);
  if (held.entry->live != nullptr) {
    co_await EndOnPool(std::move(held.entry->live), BoxHost::Files::kRemove);
  } else {
    auto work = [this, &held] { return host_.storage().Remove(held.entry->place.folder); };
    Status removed = co_await pool_.Run(work);
    if (!removed) log::Error("box.files_left", {{"box", id}, {"error", removed.error().message}});
  }
  held.entry->layers.reset();
  log::Info("box.removed", {{"box", id}});
  co_return Status();
}

Task<Status> BoxManager::SetTimeout(std::string account_id,
                                    std::string id,
                                    std::int64_t timeout_seconds,
                                    Extend extend) {
  co_return co_await Shielded(
      SetTimeoutNow(std::move(account_id), std::move(id), timeout_seconds, extend));
}

Task<Status> BoxManager::SetTimeoutNow(std::string account_id,
                                       std::string id,
                                       std::int64_t timeout_seconds,
                                       Extend extend) {
  ASSIGN_OR_CO_RETURN(Held held, co_await Hold(std::move(account_id), std::move(id)));
  if (held.box->state != BoxState::kRunning)
    co_return Fail(ErrorCode::kNotFound, "box " + held.box->id + " does not run");
  Box box = *held.box;
  const std::int64_t ends_at_us = NowMicros() + timeout_seconds * kSecondUs;
  if (extend == Extend::kAtLeast && ends_at_us <= box.ends_at_us) co_return Status();
  box.ends_at_us = ends_at_us;
  co_return co_await Commit(held.entry, std::move(box));
}

Task<Result<BoxPtr>> BoxManager::Update(std::string account_id, std::string id, BoxChange change) {
  co_return co_await Shielded(UpdateNow(std::move(account_id), std::move(id), std::move(change)));
}

Task<Result<BoxPtr>> BoxManager::UpdateNow(std::string account_id,
                                           std::string id,
                                           BoxChange change) {
  if (change.network) {
    auto rules = network::Rules::Compile(change.network->egress);
    if (!rules) co_return PassUp(std::move(rules).error());
  }
  ASSIGN_OR_CO_RETURN(Held held, co_await Hold(std::move(account_id), std::move(id)));
  const std::string name = change.name.value_or("");
  if (!name.empty() && !index_.ClaimName(held.box->account_id, name, held.box->id))
    co_return Fail(ErrorCode::kConflict, "the name '" + name + "' is taken by another box");
  Status done = co_await ApplyChange(held, std::move(change));
  if (done) co_return held.box;
  if (name != held.box->spec.name) index_.ReleaseName(held.box->account_id, name, held.box->id);
  co_return PassUp(std::move(done).error());
}

Task<Status> BoxManager::ApplyChange(Held& held, BoxChange change) {
  Box box = *held.box;
  box.spec = Changed(std::move(box.spec), change);
  box.updated_at_us = NowMicros();
  CO_RETURN_IF_ERROR(co_await Commit(held.entry, std::move(box)));
  held.box = index_.Find(held.box->id).box;
  if (held.entry->live == nullptr) co_return Status();
  if (change.network) {
    CO_RETURN_IF_ERROR(host_.SetPolicy(held.entry->live->place, held.box->spec.network.egress));
  }
  const bool for_agent = change.variables || change.user || change.workdir;
  // A frozen agent could not answer: it is told when the box goes on.
  held.entry->setup_due = held.entry->setup_due || for_agent;
  if (!held.entry->setup_due || held.box->state != BoxState::kRunning) co_return Status();
  CO_RETURN_IF_ERROR(co_await SetUp(*held.entry->live, *held.box));
  held.entry->setup_due = false;
  co_return Status();
}

Result<std::vector<MetricPoint>> BoxManager::Metrics(std::string_view account_id,
                                                     std::string_view id) const {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr || found.box->account_id != account_id) return NoSuchBox(id);
  return found.entry->meter.points();
}

Task<Result<std::vector<LogEntry>>> BoxManager::Logs(std::string account_id, std::string id) {
  ASSIGN_OR_CO_RETURN(Held held, co_await Hold(std::move(account_id), std::move(id)));
  std::vector<LogEntry> entries = held.entry->events;
  if (held.box->state != BoxState::kRunning || held.entry->live == nullptr) co_return entries;
  ASSIGN_OR_CO_RETURN(UniqueFd connection, host_.DialAgent(held.entry->live->place));
  auto more = co_await ReadAgentLogs(std::move(connection), AgentToken(held.box->id));
  if (!more) co_return PassUp(std::move(more).error());
  entries.insert(entries.end(), more->begin(), more->end());
  auto earlier = [](const LogEntry& a, const LogEntry& b) { return a.at_us < b.at_us; };
  std::stable_sort(entries.begin(), entries.end(), earlier);
  co_return entries;
}

}  // namespace viv::sandbox
