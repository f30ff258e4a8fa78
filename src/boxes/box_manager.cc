#include "boxes/box_manager.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "base/shielded.h"
#include "boxes/agent_client.h"
#include "boxes/box_ids.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::size_t kEventsMax = 1000;
constexpr std::size_t kTokenBytes = 20;

tl::unexpected<Error> NoSuchBox(std::string_view id) {
  return Fail(ErrorCode::kNotFound, "box " + std::string(id) + " does not exist");
}

}  // namespace

BoxManager::BoxManager(store::Store& store,
                       BoxHost& host,
                       templates::Templates& templates,
                       BlockingPool& pool,
                       BoxManagerOptions options,
                       ExitPoller exits)
    : store_(store),
      host_(host),
      pool_(pool),
      options_(std::move(options)),
      layers_(host.storage()),
      templates_(store, templates, layers_),
      exits_(std::move(exits)) {}

BoxManager::~BoxManager() {
  layers_.StopRemoving();  // boxes and snapshots still use them
  host_.DropLayerReferences();
}

Result<std::unique_ptr<BoxManager>> BoxManager::Open(store::Store& store,
                                                     BoxHost& host,
                                                     templates::Templates& templates,
                                                     BlockingPool& pool,
                                                     BoxManagerOptions options) {
  ASSIGN_OR_RETURN(ExitPoller exits, ExitPoller::Open());
  std::unique_ptr<BoxManager> manager(
      new BoxManager(store, host, templates, pool, std::move(options), std::move(exits)));
  RETURN_IF_ERROR(manager->templates_.Load(), "snapshots");
  RETURN_IF_ERROR(manager->AdoptAll(), "boxes");
  manager->parked_ = std::make_unique<ParkedBoxes>(host, manager->options_.parked);
  auto base = manager->templates_.Resolve("", "base");
  if (base) manager->parked_->StartParking(base->parked_key, RequestOf(*base));
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
  return Hex(HmacSha256(secret, message).substr(0, kTokenBytes));
}

}  // namespace

std::string BoxManager::AgentToken(std::string_view id) const {
  return DeriveToken(options_.secret, "agent", id);
}

std::string BoxManager::TrafficToken(std::string_view id) const {
  return DeriveToken(options_.secret, "traffic", id);
}

std::int64_t BoxManager::EndTime(const BoxSpec& spec, std::int64_t now_us, std::int64_t seconds) {
  return spec.timeout_seconds == 0 ? kNoEndUs : now_us + seconds * kSecondUs;
}

Task<Result<BoxManager::LockedBox>> BoxManager::LockBox(std::string account_id, std::string id) {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr || (!account_id.empty() && found.box->account_id != account_id))
    co_return NoSuchBox(id);
  LockedBox locked;
  locked.entry = found.entry;
  locked.lock = co_await locked.entry->mutex.Acquire();
  locked.box = index_.Find(id).box;  // it may have changed, or gone, while we waited
  if (locked.box == nullptr) co_return NoSuchBox(id);
  co_return locked;
}

void BoxManager::Publish(const BoxEntryPtr& entry, Box box) {
  index_.Put(entry, std::move(box));
}

void BoxManager::AddEvent(BoxEntry& entry, std::string message) const {
  LogEntry event;
  event.at_us = NowUs();
  event.level = "info";
  event.message = std::move(message);
  entry.events.push_back(std::move(event));
  if (entry.events.size() > kEventsMax) entry.events.erase(entry.events.begin());
}

Task<Status> BoxManager::Commit(BoxEntryPtr entry, Box box) {
  BoxRecord record{box, entry->live ? entry->live->handle : entry->handle};
  store::Document document{kBoxKind, box.id, box.account_id, WriteBoxRecord(record)};
  CO_RETURN_IF_ERROR(co_await store_.PutDocument(std::move(document)), "store the box's record");
  UpdateCharge(*entry, box.state);
  Publish(entry, std::move(box));
  co_return Status();
}

Task<Result<std::unique_ptr<LiveBox>>> BoxManager::StartOnPool(BoxHost::StartRequest request) {
  auto work = [this, &request] { return host_.Start(request); };
  co_return co_await pool_.Run(work);
}

Task<Status> BoxManager::SetUp(const LiveBox& live, const Box& box) {
  ASSIGN_OR_CO_RETURN(UniqueFd connection, host_.DialAgent(live.handle));
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

Task<Status> BoxManager::Remove(std::string account_id, std::string id) {
  co_return co_await Shielded(DoRemove(std::move(account_id), std::move(id)));
}

Task<Status> BoxManager::DoRemove(std::string account_id, std::string id) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  co_return co_await RemoveLocked(locked, EndWait::kYes);
}

// The record is removed first: after a crash, what is left of the box has no record and is swept.
Task<Status> BoxManager::RemoveLocked(LockedBox& locked, EndWait wait) {
  const std::string id = locked.box->id;
  CO_RETURN_IF_ERROR(co_await store_.RemoveDocument(kBoxKind, id), "remove the box's record");
  index_.Remove(id);
  if (locked.entry->live != nullptr) {
    co_await End(std::move(locked.entry->live), BoxHost::Files::kRemove, locked.entry->layers,
                 wait);
  } else if (!locked.entry->handle.folder.empty()) {
    auto work = [this, &locked] { return host_.RemoveFiles(locked.entry->handle.folder); };
    Status removed = co_await pool_.Run(work);
    if (!removed) log::Error("box.files_left", {{"box", id}, {"error", removed.error().message}});
  }
  locked.entry->layers.reset();
  locked.entry->charge.SetUnchecked({});
  if (options_.flow_log != nullptr) options_.flow_log->Remove(id);
  log::Info("box.removed", {{"box", id}});
  co_return Status();
}

Task<Status> BoxManager::SetTimeout(std::string account_id,
                                    std::string id,
                                    std::int64_t timeout_seconds,
                                    Extend extend) {
  co_return co_await Shielded(
      DoSetTimeout(std::move(account_id), std::move(id), timeout_seconds, extend));
}

Task<Status> BoxManager::DoSetTimeout(std::string account_id,
                                      std::string id,
                                      std::int64_t timeout_seconds,
                                      Extend extend) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  if (locked.box->state != BoxState::kRunning)
    co_return Fail(ErrorCode::kNotFound, "box " + locked.box->id + " does not run");
  Box box = *locked.box;
  const std::int64_t ends_at_us = NowUs() + timeout_seconds * kSecondUs;
  if (extend == Extend::kAtLeast && ends_at_us <= box.ends_at_us) co_return Status();
  box.ends_at_us = ends_at_us;
  co_return co_await Commit(locked.entry, std::move(box));
}

Task<Result<BoxPtr>> BoxManager::Update(std::string account_id,
                                        std::string id,
                                        MakeBoxChange change) {
  co_return co_await Shielded(DoUpdate(std::move(account_id), std::move(id), std::move(change)));
}

Task<Result<BoxPtr>> BoxManager::DoUpdate(std::string account_id,
                                          std::string id,
                                          MakeBoxChange make) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  ASSIGN_OR_CO_RETURN(BoxChange change, make(*locked.box));
  if (change.network) {
    auto rules = network::Rules::Compile(change.network->egress);
    if (!rules) co_return PassUp(std::move(rules).error());
  }
  const std::string name = change.name.value_or("");
  if (!name.empty() && !index_.ClaimName(locked.box->account_id, name, locked.box->id))
    co_return Fail(ErrorCode::kConflict, "the name '" + name + "' is taken by another box");
  Status done = co_await ApplyChange(locked, std::move(change));
  if (done) co_return locked.box;
  if (name != locked.box->spec.name)
    index_.ReleaseName(locked.box->account_id, name, locked.box->id);
  co_return PassUp(std::move(done).error());
}

Task<Status> BoxManager::ApplyChange(LockedBox& locked, BoxChange change) {
  Box box = *locked.box;
  box.spec = ApplyBoxChange(std::move(box.spec), change);
  box.updated_at_us = NowUs();
  const bool sets_egress = change.network && locked.entry->live != nullptr;
  if (sets_egress) CO_RETURN_IF_ERROR(host_.SetEgress(locked.entry->live->handle, EgressOf(box)));
  if (Status kept = co_await Commit(locked.entry, std::move(box)); !kept) {
    if (sets_egress)
      std::ignore = host_.SetEgress(locked.entry->live->handle, EgressOf(*locked.box));
    co_return kept;
  }
  locked.box = index_.Find(locked.box->id).box;
  if (locked.entry->live == nullptr) co_return Status();
  const bool for_agent = change.variables || change.user || change.workdir;
  // A frozen agent cannot answer; it gets the new settings when the box is resumed.
  locked.entry->setup_due = locked.entry->setup_due || for_agent;
  if (!locked.entry->setup_due || locked.box->state != BoxState::kRunning) co_return Status();
  CO_RETURN_IF_ERROR(co_await SetUp(*locked.entry->live, *locked.box));
  locked.entry->setup_due = false;
  co_return Status();
}

Task<Status> BoxManager::CheckProxy(std::string address) {
  gateway::UpstreamProxy proxy;
  proxy.address = std::move(address);
  co_return co_await host_.CheckProxy(SocksOf("", proxy));
}

Result<std::vector<MetricPoint>> BoxManager::Metrics(std::string_view account_id,
                                                     std::string_view id) const {
  BoxIndex::Found found = index_.Find(id);
  if (found.box == nullptr || found.box->account_id != account_id) return NoSuchBox(id);
  return found.entry->meter.points();
}

Task<Result<std::vector<LogEntry>>> BoxManager::Logs(std::string account_id, std::string id) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  std::vector<LogEntry> entries = locked.entry->events;
  if (locked.box->state != BoxState::kRunning || locked.entry->live == nullptr ||
      locked.entry->frozen_for_disk)
    co_return entries;
  ASSIGN_OR_CO_RETURN(UniqueFd connection, host_.DialAgent(locked.entry->live->handle));
  auto more = co_await ReadAgentLogs(std::move(connection), AgentToken(locked.box->id));
  if (!more) co_return PassUp(std::move(more).error());
  entries.insert(entries.end(), more->begin(), more->end());
  auto earlier = [](const LogEntry& a, const LogEntry& b) { return a.at_us < b.at_us; };
  std::stable_sort(entries.begin(), entries.end(), earlier);
  co_return entries;
}

}  // namespace viv::boxes
