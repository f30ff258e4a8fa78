// What happens to boxes by itself: adoption at start, the end of their time, their death, meters.

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/shielded.h"
#include "boxes/agent_client.h"
#include "boxes/box_manager.h"
#include "boxes/box_manager_budget.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kHouseSecondUs = 1'000'000;
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
    known.folders.insert(record->place.folder);
    if (HasProcesses(record->box.state)) {
      known.places.insert(record->place.name);
      known.networks.insert(record->place.network);
    }
    for (const std::string& layer : LayersIn(record->place.overlays)) known.layers.insert(layer);
    records.push_back(*std::move(record));
  }
  for (const std::string& layer : layers_.held()) known.layers.insert(layer);
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

// A box whose processes are gone, as after a restart of the machine, has kept its files: it is
// stopped, and the next connect starts it again.
void BoxManager::Adopt(BoxRecord record, std::vector<std::string>& lost) {
  auto entry = std::make_shared<BoxEntry>();
  entry->id = record.box.id;
  entry->layers = layers_.Take(record.place.overlays);
  entry->place = record.place;
  Box box = std::move(record.box);
  if (box.state == BoxState::kStarting) {
    box.state = BoxState::kFailed;
    box.stopped_at_us = box.updated_at_us = NowMicros();
    box.message = "the server was restarted while the box started";
  }
  if (HasProcesses(box.state)) {
    auto live = host_.Adopt(entry->place, EgressOf(box));
    if (live) {
      entry->live = *std::move(live);
      const bool frozen = box.state == BoxState::kPaused;
      Status agrees = frozen ? entry->live->cgroup->Freeze() : entry->live->cgroup->Thaw();
      // An earlier server may have taken it back while the disk was almost full.
      if (agrees) agrees = host_.storage().SetLimit(entry->place.folder, box.spec.disk_bytes);
      if (!agrees)
        log::Error("box.not_adopted", {{"box", box.id}, {"error", agrees.error().message}});
      deaths_.Add(entry->live->pidfd.get(), entry->live->place.name);
    } else {
      log::Warn("box.lost", {{"box", box.id}, {"error", live.error().message}});
      lost.push_back(box.id);
      box.state = BoxState::kStopped;
      box.stopped_at_us = box.updated_at_us = NowMicros();
      Place kept;
      if (!box.spec.disposable) {
        kept.folder = entry->place.folder;
      } else if (Status removed = host_.RemoveFiles(entry->place.folder); !removed) {
        log::Error("box.files_left", {{"box", box.id}, {"error", removed.error().message}});
      }
      kept.overlays = entry->place.overlays;
      entry->place = std::move(kept);
    }
  }
  entry->active_at_us = NowMicros();  // while nobody served it, it could not be idle
  entry->charge = accounts::Charge(options_.budgets, box.account_id);
  entry->charge.SetUnchecked(AmountsToRun(box.spec));
  SettleCharge(*entry, box.state);
  Show(entry, std::move(box));
}

Task<void> BoxManager::KeepHouse() {
  co_await WatchDisk();
  co_await WatchSockets();
  for (const std::string& id : index_.DueAt(NowMicros())) co_await Shielded(DoWhatIsDue(id));
  std::vector<std::string> ended = deaths_.TakeEnded();
  if (!ended.empty()) {
    std::vector<std::string> ids;
    index_.ForEach([&](const BoxIndex::Found& found) {
      for (const std::string& place : ended)
        if (found.place->name == place) ids.push_back(found.box->id);
    });
    for (const std::string& id : ids) co_await Shielded(BuryIfDead(id));
  }
  co_await Meter();
  host_.ReapSpawners();
}

Task<void> BoxManager::DoWhatIsDue(std::string id) {
  auto held = co_await Hold("", id);
  if (!held) co_return;
  const Box& box = *held->box;
  const std::int64_t now_us = NowMicros();
  Status done;
  if (box.state != BoxState::kRunning) {
    const std::int64_t keep_us = box.spec.keep_stopped_seconds * kHouseSecondUs;
    if (keep_us == 0 || box.stopped_at_us == 0 || box.stopped_at_us + keep_us > now_us) co_return;
    done = co_await RemoveHeld(*held, EndWait::kNo);
  } else if (box.ends_at_us > now_us) {
    co_await StopIfIdle(*held);
  } else if (box.spec.on_timeout == OnTimeout::kKill && !box.spec.lasting) {
    done = co_await RemoveHeld(*held, EndWait::kNo);
  } else {
    const bool pause = box.spec.on_timeout == OnTimeout::kPause;
    done = co_await PauseHeld(*held, pause ? Memory::kKeep : Memory::kDrop);
  }
  if (!done) log::Error("box.not_ended", {{"box", id}, {"error", done.error().message}});
}

// A box is at work while it is called, while a command runs in it and while it uses the processor.
Task<void> BoxManager::StopIfIdle(Held& held) {
  const BoxSpec& spec = held.box->spec;
  BoxEntry& entry = *held.entry;
  if (spec.idle_seconds == 0 || entry.live == nullptr || entry.held_for_disk) co_return;
  const std::int64_t now_us = NowMicros();
  const std::int64_t idle_us = spec.idle_seconds * kHouseSecondUs;
  std::int64_t active_at_us = std::max(entry.active_at_us.load(), held.box->started_at_us);
  if (active_at_us + idle_us <= now_us) {
    const std::vector<MetricPoint> points = entry.meter.points();
    const bool computes = !points.empty() && points.back().cpu_used_percent >= kWorkPercent;
    bool works = computes;
    auto connection = host_.DialAgent(entry.live->place);
    if (!works && connection) {
      auto running = co_await CountRunning(*std::move(connection), AgentToken(held.box->id));
      works = running && *running > 0;
    }
    if (works) entry.active_at_us = active_at_us = now_us;
  }
  if (active_at_us + idle_us > now_us) {
    // What began to work a moment before the look is looked at again in time.
    const std::int64_t next_us = std::max(active_at_us + idle_us, now_us + kHouseSecondUs);
    index_.SetDue(held.box->id, std::min(next_us, held.box->ends_at_us));
    co_return;
  }
  log::Info("box.idle", {{"box", held.box->id}, {"seconds", spec.idle_seconds}});
  Status stopped = co_await PauseHeld(held, spec.keep_memory ? Memory::kKeep : Memory::kDrop);
  if (stopped) co_return;
  log::Error("box.not_stopped", {{"box", held.box->id}, {"error", stopped.error().message}});
  index_.SetDue(held.box->id, now_us + idle_us);
}

Task<void> BoxManager::BuryIfDead(std::string id) {
  auto held = co_await Hold("", id);
  if (!held || held->entry->live == nullptr) co_return;
  pollfd process{held->entry->live->pidfd.get(), POLLIN, 0};
  if (::poll(&process, 1, 0) != 1) co_return;
  log::Warn("box.died", {{"box", id}});
  Status buried;
  if (held->box->spec.lasting) {
    buried = co_await FailHeld(*held, "its first process ended: out of memory, or killed");
  } else {
    buried = co_await RemoveHeld(*held, EndWait::kNo);
  }
  if (!buried) log::Error("box.not_buried", {{"box", id}, {"error", buried.error().message}});
}

Task<void> BoxManager::Meter() {
  const std::int64_t now_us = NowMicros();
  std::vector<BoxIndex::Found> due;
  index_.ForEach([&](const BoxIndex::Found& found) {
    if (found.box->state == BoxState::kRunning && found.entry->meter.IsDue(now_us))
      due.push_back(found);
  });
  if (due.empty()) co_return;
  auto work = [&] {
    for (const BoxIndex::Found& found : due) {
      AsyncMutex::Lock lock;
      if (!found.entry->busy.TryAcquire(lock) || found.entry->live == nullptr) continue;
      auto usage = found.entry->live->cgroup->Read();
      auto disk = host_.storage().Read(found.entry->live->place.folder);
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
    Status removed = co_await RemoveNow("", id);
    if (!removed && removed.error().code != ErrorCode::kNotFound)
      log::Error("box.not_removed", {{"box", id}, {"error", removed.error().message}});
  }
}

bool BoxManager::StandsOn(const std::string& folder) const {
  bool used = layers_.HoldsFolder(folder);  // a snapshot
  index_.ForEach([&](const BoxIndex::Found& found) {
    for (const storage::OverlayMount& overlay : found.place->overlays)
      for (const std::string& layer : overlay.layers) used = used || layer.starts_with(folder);
  });
  return used;
}

}  // namespace viv::boxes
