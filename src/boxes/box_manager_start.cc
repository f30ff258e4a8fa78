// Starts boxes: from parked ones or new, before the response or after it.

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "base/shielded.h"
#include "boxes/box_ids.h"
#include "boxes/box_manager.h"

namespace viv::boxes {

// A box that is started ahead of time has the limits of its template.
BoxHost::StartRequest BoxManager::RequestOf(const StartPoint& from) {
  BoxHost::StartRequest request;
  request.overlays = from.overlays;
  request.limits = from.limits;
  request.disk_bytes = from.disk_bytes;
  return request;
}

Task<Result<BoxPtr>> BoxManager::Create(CreateBox request) {
  co_return co_await Shielded(DoCreate(std::move(request)));
}

Task<Result<BoxPtr>> BoxManager::DoCreate(CreateBox request) {
  ASSIGN_OR_CO_RETURN(StartPoint from,
                      templates_.Resolve(request.account_id, request.template_name));
  AddLayers(request.extra_layers, from);
  Box box;
  box.account_id = std::move(request.account_id);
  BoxSpec& spec = box.spec;
  spec.user = request.user.value_or(from.user);
  spec.workdir = request.workdir.value_or(from.workdir);
  spec.limits = request.limits.value_or(from.limits);
  spec.disk_bytes = request.disk_bytes.value_or(from.disk_bytes);
  spec.name = std::move(request.name);
  spec.annotations = std::move(request.annotations);
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
  spec.survives_exit = request.survives_exit;
  spec.disposable = request.disposable;
  if (request.return_when == CreateBox::ReturnWhen::kRecorded)
    co_return co_await StartAsync(std::move(from), std::move(box));
  co_return co_await StartNew(std::move(from), std::move(box));
}

// Boxes with the same extra layers over the same template share one pool of parked boxes.
void BoxManager::AddLayers(const std::vector<storage::OverlayMount>& extra_layers,
                           StartPoint& from) {
  for (const storage::OverlayMount& added : extra_layers) {
    if (!from.parked_key.empty())
      for (const std::string& layer : added.layers) (from.parked_key += '+') += layer;
    auto same = std::find_if(from.overlays.begin(), from.overlays.end(),
                             [&added](const storage::OverlayMount& overlay) {
                               return overlay.mount_point == added.mount_point;
                             });
    if (same == from.overlays.end()) {
      from.overlays.push_back(added);
    } else {
      same->layers.insert(same->layers.begin(), added.layers.begin(), added.layers.end());
    }
  }
}

Status BoxManager::Register(const StartPoint& from, Box& box, BoxEntry& entry) {
  RETURN_IF_ERROR(CheckDiskSpace());
  if (index_.size() + ending() >= options_.boxes_max) {
    return Fail(ErrorCode::kLimitExceeded, "this server holds " +
                                               std::to_string(options_.boxes_max) +
                                               " boxes already: end some, or raise --boxes-max");
  }
  entry.charge = accounts::Charge(options_.budgets, box.account_id);
  RETURN_IF_ERROR(ChargeToRun(entry, box));
  box.id = NewBoxId();
  box.spec.template_id = from.id;
  box.spec.template_name = from.name;
  if (box.spec.name.empty() || index_.ClaimName(box.account_id, box.spec.name, box.id)) return {};
  return Fail(ErrorCode::kConflict, "the name '" + box.spec.name + "' is taken by another box");
}

Task<Result<BoxPtr>> BoxManager::StartNew(StartPoint from, Box box) {
  auto entry = std::make_shared<BoxEntry>();
  CO_RETURN_IF_ERROR(Register(from, box, *entry));
  entry->id = box.id;
  entry->layers = from.layer_reference;
  entry->parked_key = from.parked_key;
  AsyncMutex::Lock lock = co_await entry->mutex.Acquire();
  Status ready = co_await StartAndCommit(entry, from, box);
  if (!ready) {
    index_.ReleaseName(box.account_id, box.spec.name, box.id);
    co_return PassUp(std::move(ready).error());
  }
  co_return index_.Find(box.id).box;
}

// Takes a parked box or starts a new one, and sets up its agent. On failure nothing is left of it.
Task<Result<std::unique_ptr<LiveBox>>> BoxManager::TakeOrStart(const StartPoint& from,
                                                               const Box& box) {
  std::unique_ptr<LiveBox> live;
  if (!from.parked_key.empty()) live = parked_->Take(from.parked_key);
  if (live != nullptr && live->handle.overlays != from.overlays)
    co_await End(std::move(live), BoxHost::Files::kRemove,
                 from.layer_reference);  // its template has changed
  Status ready;
  if (live != nullptr) {
    ready = AdaptParked(*live, from, box);
  } else {
    BoxHost::StartRequest request;
    request.overlays = from.overlays;
    request.limits = box.spec.limits;
    request.disk_bytes = box.spec.disk_bytes;
    request.egress = EgressOf(box);
    ASSIGN_OR_CO_RETURN(live, co_await StartOnPool(std::move(request)));
  }
  if (ready) ready = co_await SetUp(*live, box);
  if (ready) co_return std::move(live);
  co_await End(std::move(live), BoxHost::Files::kRemove, from.layer_reference);
  co_return PassUp(std::move(ready).error());
}

// Starts the processes and writes the record. If one fails, the other is undone.
Task<Status> BoxManager::StartAndCommit(BoxEntryPtr entry, const StartPoint& from, Box box) {
  if (!from.parked_key.empty()) parked_->StartParking(from.parked_key, RequestOf(from));
  ASSIGN_OR_CO_RETURN(entry->live, co_await TakeOrStart(from, box));
  box.state = BoxState::kRunning;
  box.started_at_us = box.updated_at_us = NowUs();
  if (box.created_at_us == 0) box.created_at_us = box.started_at_us;
  box.ends_at_us = EndTime(box.spec, box.started_at_us, box.spec.timeout_seconds);
  AddEvent(*entry, "Sandbox created");
  if (Status kept = co_await Commit(entry, box); !kept) {
    co_await End(std::move(entry->live), BoxHost::Files::kRemove, entry->layers);
    co_return kept;
  }
  exits_.Add(entry->live->pidfd.get(), entry->live->handle.name);
  entry->handle = entry->live->handle;
  log::Info("box.created", {{"box", box.id}, {"template", box.spec.template_name}});
  co_return Status();
}

// A parked box has the limits of its template and may connect anywhere.
Status BoxManager::AdaptParked(LiveBox& live, const StartPoint& from, const Box& box) {
  const BoxSpec& spec = box.spec;
  if (spec.limits != from.limits) RETURN_IF_ERROR(live.cgroup->SetLimits(spec.limits), "limit it");
  if (spec.disk_bytes != from.disk_bytes)
    RETURN_IF_ERROR(host_.storage().SetLimit(live.handle.folder, spec.disk_bytes),
                    "limit its disk");
  return host_.SetEgress(live.handle, EgressOf(box));
}

// Records and publishes the box at once. Later operations wait for its lock, which the background
// start holds.
Task<Result<BoxPtr>> BoxManager::StartAsync(StartPoint from, Box box) {
  auto entry = std::make_shared<BoxEntry>();
  CO_RETURN_IF_ERROR(Register(from, box, *entry));
  entry->id = box.id;
  entry->layers = from.layer_reference;
  entry->parked_key = from.parked_key;
  entry->handle.overlays = from.overlays;
  LockedBox locked;
  locked.entry = entry;
  locked.lock = co_await entry->mutex.Acquire();
  box.state = BoxState::kStarting;
  box.created_at_us = box.started_at_us = box.updated_at_us = NowUs();
  box.ends_at_us = kNoEndUs;
  Status kept = co_await Commit(entry, box);
  if (!kept) {
    index_.ReleaseName(box.account_id, box.spec.name, box.id);
    co_return PassUp(std::move(kept).error());
  }
  locked.box = index_.Find(box.id).box;
  BoxPtr shown = locked.box;
  auto executor = co_await asio::this_coro::executor;
  asio::co_spawn(executor, FinishStart(std::move(locked), std::move(from)), asio::detached);
  co_return shown;
}

Task<void> BoxManager::FinishStart(LockedBox locked, StartPoint from) {
  Status ready = co_await StartAndCommit(locked.entry, from, *locked.box);
  if (ready) co_return;
  log::Warn("box.not_started", {{"box", locked.box->id}, {"error", ready.error().message}});
  std::ignore = co_await FailLocked(locked, ready.error().message);
}

}  // namespace viv::boxes
