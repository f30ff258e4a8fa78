// Maintenance of boxes: adoption at start, deadlines, exits of their processes, and metrics.

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/shielded.h"
#include "boxes/agent_client.h"
#include "boxes/box_manager.h"
#include "boxes/box_manager_budget.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kMaintenanceSecondUs = 1'000'000;
constexpr double kWorkPercent = 1.0;  // of one core; an idle agent uses none

bool HasProcesses(BoxState state) {
  return state == BoxState::kRunning || state == BoxState::kPaused;
}

}  // namespace

Status BoxManager::AdoptAll() {
  ASSIGN_OR_RETURN(auto documents, store_.ListDocuments(kBoxKind));
  std::vector<BoxRecord> records;
  BoxHost::Known known;
  for (const store::Document& document : documents) {
    auto record = ReadBoxRecord(document.body);
    if (!record) {
      log::Error("box.unreadable", {{"id", document.id}, {"error", record.error().message}});
      continue;
    }
    known.folders.insert(record->handle.folder);
    if (HasProcesses(record->box.state)) {
      known.kernel_names.insert(record->handle.name);
      known.networks.insert(record->handle.network);
    }
    for (const std::string& layer : LayersIn(record->handle.overlays)) known.layers.insert(layer);
    records.push_back(*std::move(record));
  }
  for (const std::string& layer : layers_.referenced()) known.layers.insert(layer);
  const std::size_t swept = host_.Sweep(known);
  if (options_.flow_log != nullptr) {
    std::set<std::string> ids;
    for (const BoxRecord& record : records) ids.insert(record.box.id);
    options_.flow_log->KeepOnly(ids);
  }
  std::vector<std::string> lost;
  for (BoxRecord& record : records) Adopt(std::move(record), lost);
  if (!records.empty() || swept > 0) {
    log::Info("boxes.adopted", {{"boxes", index_.size()}, {"lost", lost.size()}, {"swept", swept}});
  }
  return {};
}

// A box whose processes are gone, for example after a reboot of the machine, still has its files:
// it becomes stopped, and the next connect starts it again.
void BoxManager::Adopt(BoxRecord record, std::vector<std::string>& lost) {
  auto entry = std::make_shared<BoxEntry>();
  entry->id = record.box.id;
  entry->layers = layers_.AddReference(record.handle.overlays);
  entry->handle = record.handle;
  Box box = std::move(record.box);
  if (box.state == BoxState::kStarting) {
    box.state = BoxState::kFailed;
    box.stopped_at_us = box.updated_at_us = NowUs();
    box.message = "the server was restarted while the box started";
  }
  if (HasProcesses(box.state)) {
    auto live = host_.Adopt(entry->handle, EgressOf(box));
    if (live && box.state == BoxState::kPaused) {
      if (Status frozen = (*live)->cgroup->Freeze(); !frozen) {
        host_.EndAndWait(*std::move(live), BoxHost::Files::kKeep);
        live = PassUp(std::move(frozen).error(), "freeze it");
      }
    }
    if (live) {
      entry->live = *std::move(live);
      // An earlier server may have lowered the limit while the disk was almost full.
      Status agrees = host_.storage().SetLimit(entry->handle.folder, box.spec.disk_bytes);
      if (agrees && box.state == BoxState::kRunning) agrees = entry->live->cgroup->Thaw();
      if (!agrees) {  // the next check of the disk tries again
        log::Error("box.not_released", {{"box", box.id}, {"error", agrees.error().message}});
        entry->frozen_for_disk = true;
        ++frozen_for_disk_;
      }
      exits_.Add(entry->live->pidfd.get(), entry->live->handle.name);
    } else {
      log::Warn("box.lost", {{"box", box.id}, {"error", live.error().message}});
      lost.push_back(box.id);
      box.state = BoxState::kStopped;
      box.stopped_at_us = box.updated_at_us = NowUs();
      BoxHandle kept;
      if (!box.spec.disposable) {
        kept.folder = entry->handle.folder;
      } else if (Status removed = host_.RemoveFiles(entry->handle.folder); !removed) {
        log::Error("box.files_left", {{"box", box.id}, {"error", removed.error().message}});
      }
      kept.overlays = entry->handle.overlays;
      entry->handle = std::move(kept);
    }
  }
  entry->active_at_us = NowUs();  // the time without a server does not count as idle
  entry->charge = accounts::Charge(options_.budgets, box.account_id);
  entry->charge.SetUnchecked(AmountsToRun(box.spec));
  UpdateCharge(*entry, box.state);
  Publish(entry, std::move(box));
}

Task<void> BoxManager::RunMaintenance() {
  co_await CheckDisk();
  co_await RetryThaws();
  co_await CheckSockets();
  for (const std::string& id : index_.DueAt(NowUs())) co_await Shielded(HandleDeadline(id));
  std::vector<std::string> ended = exits_.TakeExited();
  if (!ended.empty()) {
    std::vector<std::string> ids;
    index_.ForEach([&](const BoxIndex::Found& found) {
      for (const std::string& kernel_name : ended)
        if (found.handle->name == kernel_name) ids.push_back(found.box->id);
    });
    for (const std::string& id : ids) co_await Shielded(HandleExit(id));
  }
  co_await RecordMetrics();
  host_.ReapSpawners();
}

// Thaws the boxes that an operation left frozen because thawing failed.
Task<void> BoxManager::RetryThaws() {
  std::vector<BoxIndex::Found> due;
  index_.ForEach([&due](const BoxIndex::Found& found) {
    if (found.entry->thaw_due) due.push_back(found);
  });
  if (due.empty()) co_return;
  auto work = [this, &due] {
    for (const BoxIndex::Found& found : due) {
      BoxEntry& entry = *found.entry;
      AsyncMutex::Lock lock;
      if (!entry.mutex.TryAcquire(lock)) continue;  // in the next round
      const BoxPtr box = index_.Find(entry.id).box;
      entry.thaw_due = box != nullptr && box->state == BoxState::kRunning && entry.live != nullptr;
      // A box that is frozen for the disk is thawed when there is room.
      if (!entry.thaw_due || entry.frozen_for_disk) continue;
      if (Status thawed = ThawRunning(entry); !thawed)
        log::Error("box.not_thawed", {{"box", entry.id}, {"error", thawed.error().message}});
    }
    return true;
  };
  co_await pool_.Run(work);
}

Task<void> BoxManager::HandleDeadline(std::string id) {
  auto locked = co_await LockBox("", id);
  if (!locked) co_return;
  const Box& box = *locked->box;
  const std::int64_t now_us = NowUs();
  Status done;
  if (box.state != BoxState::kRunning) {
    const std::int64_t keep_us = box.spec.keep_stopped_seconds * kMaintenanceSecondUs;
    if (keep_us == 0 || box.stopped_at_us == 0 || box.stopped_at_us + keep_us > now_us) co_return;
    done = co_await RemoveLocked(*locked, EndWait::kNo);
  } else if (box.ends_at_us > now_us) {
    co_await StopIfIdle(*locked);
  } else if (box.spec.on_timeout == OnTimeout::kKill && !box.spec.survives_exit) {
    done = co_await RemoveLocked(*locked, EndWait::kNo);
  } else {
    const bool pause = box.spec.on_timeout == OnTimeout::kPause;
    done = co_await PauseLocked(*locked, pause ? Memory::kKeep : Memory::kDrop);
  }
  if (!done) log::Error("box.not_ended", {{"box", id}, {"error", done.error().message}});
}

// A box is active while requests reach it, while a command runs in it and while it uses the CPU.
Task<void> BoxManager::StopIfIdle(LockedBox& locked) {
  const BoxSpec& spec = locked.box->spec;
  BoxEntry& entry = *locked.entry;
  if (spec.idle_seconds == 0 || entry.live == nullptr || entry.frozen_for_disk) co_return;
  const std::int64_t now_us = NowUs();
  const std::int64_t idle_us = spec.idle_seconds * kMaintenanceSecondUs;
  std::int64_t active_at_us = std::max(entry.active_at_us.load(), locked.box->started_at_us);
  if (active_at_us + idle_us <= now_us) {
    const std::vector<MetricPoint> points = entry.meter.points();
    const bool computes = !points.empty() && points.back().cpu_used_percent >= kWorkPercent;
    bool works = computes;
    auto connection = host_.DialAgent(entry.live->handle);
    if (!works && connection) {
      auto running = co_await CountRunning(*std::move(connection), AgentToken(locked.box->id));
      works = running && *running > 0;
    }
    if (works) entry.active_at_us = active_at_us = now_us;
  }
  if (active_at_us + idle_us > now_us) {
    // A box that became active a moment ago is checked again in time.
    const std::int64_t next_us = std::max(active_at_us + idle_us, now_us + kMaintenanceSecondUs);
    index_.SetDue(locked.box->id, std::min(next_us, locked.box->ends_at_us));
    co_return;
  }
  log::Info("box.idle", {{"box", locked.box->id}, {"seconds", spec.idle_seconds}});
  Status stopped = co_await PauseLocked(locked, spec.keep_memory ? Memory::kKeep : Memory::kDrop);
  if (stopped) co_return;
  log::Error("box.not_stopped", {{"box", locked.box->id}, {"error", stopped.error().message}});
  index_.SetDue(locked.box->id, now_us + idle_us);
}

Task<void> BoxManager::HandleExit(std::string id) {
  auto locked = co_await LockBox("", id);
  if (!locked || locked->entry->live == nullptr) co_return;
  pollfd process{locked->entry->live->pidfd.get(), POLLIN, 0};
  if (::poll(&process, 1, 0) != 1) co_return;
  log::Warn("box.died", {{"box", id}});
  Status handled;
  if (locked->box->spec.survives_exit) {
    handled = co_await FailLocked(*locked, "its first process ended: out of memory, or killed");
  } else {
    handled = co_await RemoveLocked(*locked, EndWait::kNo);
  }
  if (handled) co_return;
  log::Error("box.exit_not_handled", {{"box", id}, {"error", handled.error().message}});
  // The next round handles the exit again.
  const LiveBox& live = *locked->entry->live;
  exits_.Add(live.pidfd.get(), live.handle.name);
}

Task<void> BoxManager::RecordMetrics() {
  const std::int64_t now_us = NowUs();
  std::vector<BoxIndex::Found> due;
  index_.ForEach([&](const BoxIndex::Found& found) {
    if (found.box->state == BoxState::kRunning && found.entry->meter.IsDue(now_us))
      due.push_back(found);
  });
  if (due.empty()) co_return;
  auto work = [&] {
    for (const BoxIndex::Found& found : due) {
      AsyncMutex::Lock lock;
      if (!found.entry->mutex.TryAcquire(lock) || found.entry->live == nullptr) continue;
      auto usage = found.entry->live->cgroup->Read();
      auto disk = host_.storage().Read(found.entry->live->handle.folder);
      if (usage && disk) found.entry->meter.Add(now_us, *usage, *disk, found.box->spec);
    }
    return true;
  };
  co_await pool_.Run(work);
}

Task<void> BoxManager::RemoveAll() {
  std::vector<std::string> ids;
  index_.ForEach([&ids](const BoxIndex::Found& found) { ids.push_back(found.box->id); });
  for (const std::string& id : ids) {
    Status removed = co_await DoRemove("", id);
    if (!removed && removed.error().code != ErrorCode::kNotFound)
      log::Error("box.not_removed", {{"box", id}, {"error", removed.error().message}});
  }
}

bool BoxManager::UsesFolder(const std::string& folder) const {
  bool used = layers_.IsReferenced(folder);  // a snapshot
  index_.ForEach([&](const BoxIndex::Found& found) {
    for (const storage::OverlayMount& overlay : found.handle->overlays)
      for (const std::string& layer : overlay.layers) used = used || layer.starts_with(folder);
  });
  return used;
}

}  // namespace viv::boxes
