// What happens to boxes by itself: adoption at start, the end of their time, their death, meters.

#include <poll.h>

#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/shielded.h"
#include "sandbox/box_manager.h"

namespace viv::sandbox {

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
    if (record->box.state != BoxState::kStopped) {
      known.places.insert(record->place.name);
      known.networks.insert(record->place.network);
    }
    for (const std::string& layer : LayersIn(record->place.trees)) known.layers.insert(layer);
    records.push_back(*std::move(record));
  }
  for (const std::string& layer : layers_.held()) known.layers.insert(layer);
  const std::size_t swept = host_.Sweep(known);
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
  entry->layers = layers_.Take(record.place.trees);
  entry->place = record.place;
  Box box = std::move(record.box);
  if (box.state != BoxState::kStopped) {
    auto live = host_.Adopt(entry->place, box.spec.network.egress);
    if (live) {
      entry->live = *std::move(live);
      const bool frozen = box.state == BoxState::kPaused;
      Status agrees = frozen ? entry->live->cgroup->Freeze() : entry->live->cgroup->Thaw();
      if (!agrees)
        log::Error("box.not_adopted", {{"box", box.id}, {"error", agrees.error().message}});
      deaths_.Add(entry->live->pidfd.get(), entry->live->place.name);
    } else {
      log::Warn("box.lost", {{"box", box.id}, {"error", live.error().message}});
      lost.push_back(box.id);
      box.state = BoxState::kStopped;
      Place kept;
      kept.folder = entry->place.folder;
      kept.trees = entry->place.trees;
      entry->place = std::move(kept);
    }
  }
  Show(entry, std::move(box));
}

Task<void> BoxManager::KeepHouse() {
  for (const std::string& id : index_.EndedAt(NowMicros())) co_await Shielded(EndIfOver(id));
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
}

Task<void> BoxManager::EndIfOver(std::string id) {
  auto held = co_await Hold("", id);
  if (!held || held->box->state != BoxState::kRunning || held->box->ends_at_us > NowMicros())
    co_return;
  const OnTimeout action = held->box->spec.on_timeout;
  Status done;
  if (action == OnTimeout::kKill) {
    done = co_await RemoveHeld(*held);
  } else {
    const Memory memory = action == OnTimeout::kPause ? Memory::kKeep : Memory::kDrop;
    done = co_await PauseHeld(*held, memory);
  }
  if (!done) log::Error("box.not_ended", {{"box", id}, {"error", done.error().message}});
}

Task<void> BoxManager::BuryIfDead(std::string id) {
  auto held = co_await Hold("", id);
  if (!held || held->entry->live == nullptr) co_return;
  pollfd process{held->entry->live->pidfd.get(), POLLIN, 0};
  if (::poll(&process, 1, 0) != 1) co_return;
  log::Warn("box.died", {{"box", id}});
  Status removed = co_await RemoveHeld(*held);
  if (!removed) log::Error("box.not_removed", {{"box", id}, {"error", removed.error().message}});
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
  bool used = false;
  index_.ForEach([&](const BoxIndex::Found& found) {
    for (const Tree& tree : found.place->trees)
      for (const std::string& layer : tree.layers) used = used || layer.starts_with(folder);
  });
  return used;
}

}  // namespace viv::sandbox
