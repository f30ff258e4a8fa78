// Snapshots and forks of boxes. Both copy files, not memory.

#include <utility>

#include "base/log.h"
#include "base/shielded.h"
#include "boxes/box_ids.h"
#include "boxes/box_manager.h"

namespace viv::boxes {

// The box is frozen while the file system makes a copy-on-write copy.
Task<Result<BoxManager::Sealed>> BoxManager::Seal(LockedBox& locked) {
  CO_RETURN_IF_ERROR(CheckDiskSpace());
  LiveBox* live = locked.entry->live.get();
  const BoxHandle handle = live != nullptr ? live->handle : locked.entry->handle;
  const bool running = live != nullptr && locked.box->state == BoxState::kRunning;
  if (handle.folder.empty())
    co_return Fail(ErrorCode::kConflict, "box " + locked.box->id + " has no files: start it first");
  if (options_.budgets != nullptr)
    CO_RETURN_IF_ERROR(
        options_.budgets->CheckBelowLimit(locked.box->account_id, accounts::Budget::kDiskBytes));
  auto work = [&]() -> Result<BoxHost::SealedLayer> {
    if (running) RETURN_IF_ERROR(live->cgroup->Freeze(), "freeze the box");
    auto layer = host_.SealLayer(handle.folder);
    if (!running) return layer;
    if (Status thawed = ThawRunning(*locked.entry); !thawed)
      log::Error("box.not_thawed", {{"box", locked.box->id}, {"error", thawed.error().message}});
    return layer;
  };
  ASSIGN_OR_CO_RETURN(BoxHost::SealedLayer layer, co_await pool_.Run(work), "copy the box's files");
  Sealed sealed;
  sealed.layer = layer.name;
  sealed.overlays = handle.overlays;
  for (storage::OverlayMount& overlay : sealed.overlays)
    overlay.layers.insert(overlay.layers.begin(), UpperDirOf(layer.folder, overlay));
  sealed.layer_reference = layers_.AddReference(sealed.overlays);
  co_return sealed;
}

Task<Result<TemplateInfo>> BoxManager::Snapshot(std::string account_id,
                                                std::string id,
                                                std::string name) {
  OwnVariables all;
  co_return co_await Shielded(
      DoSnapshot(std::move(account_id), std::move(id), std::move(name), std::move(all)));
}

Task<Result<TemplateInfo>> BoxManager::SnapshotWith(std::string account_id,
                                                    std::string id,
                                                    std::string name,
                                                    std::map<std::string, std::string> variables) {
  OwnVariables own = std::move(variables);
  co_return co_await Shielded(
      DoSnapshot(std::move(account_id), std::move(id), std::move(name), std::move(own)));
}

Task<Result<TemplateInfo>> BoxManager::DoSnapshot(std::string account_id,
                                                  std::string id,
                                                  std::string name,
                                                  OwnVariables own) {
  ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
  ASSIGN_OR_CO_RETURN(Sealed sealed, co_await Seal(locked));
  const BoxSpec& spec = locked.box->spec;
  SnapshotRecord record;
  record.id = NewTemplateId();
  record.account_id = locked.box->account_id;
  record.name = std::move(name);
  record.origin_box = locked.box->id;
  record.layer = sealed.layer;
  record.overlays = std::move(sealed.overlays);
  record.variables =
      own ? templates_.TemplateVariablesOf(locked.box->account_id, spec) : spec.variables;
  if (own)
    for (auto& [variable, value] : *own) record.variables[variable] = std::move(value);
  record.user = spec.user;
  record.workdir = spec.workdir;
  record.limits = spec.limits;
  record.disk_bytes = spec.disk_bytes;
  record.created_at_us = NowUs();
  TemplateInfo info = BoxTemplates::InfoOf(record);
  CO_RETURN_IF_ERROR(co_await templates_.Add(std::move(record)));
  AddEvent(*locked.entry, "Snapshot taken");
  log::Info("box.snapshot_taken", {{"box", locked.box->id}, {"snapshot", info.id}});
  co_return info;
}

Task<Result<std::vector<Result<BoxPtr>>>> BoxManager::Fork(std::string account_id,
                                                           std::string id,
                                                           std::size_t count,
                                                           std::int64_t timeout_seconds) {
  co_return co_await Shielded(DoFork(std::move(account_id), std::move(id), count, timeout_seconds));
}

Task<Result<std::vector<Result<BoxPtr>>>> BoxManager::DoFork(std::string account_id,
                                                             std::string id,
                                                             std::size_t count,
                                                             std::int64_t timeout_seconds) {
  StartPoint from;
  Box copy;
  {
    ASSIGN_OR_CO_RETURN(LockedBox locked, co_await LockBox(std::move(account_id), std::move(id)));
    ASSIGN_OR_CO_RETURN(Sealed sealed, co_await Seal(locked));
    const BoxSpec& spec = locked.box->spec;
    from.id = spec.template_id;
    from.name = spec.template_name;
    from.is_snapshot = true;
    from.overlays = std::move(sealed.overlays);
    from.layer_reference = std::move(sealed.layer_reference);
    copy.account_id = locked.box->account_id;
    copy.spec = spec;
    copy.spec.name.clear();
  }
  copy.spec.timeout_seconds = timeout_seconds;
  std::vector<Result<BoxPtr>> forks;
  for (std::size_t i = 0; i < count; ++i) forks.push_back(co_await StartNew(from, copy));
  co_return forks;
}

Task<Status> BoxManager::RemoveTemplate(std::string account_id, std::string id_or_name) {
  ASSIGN_OR_CO_RETURN(std::string id, templates_.FindSnapshot(account_id, id_or_name));
  bool used = false;
  index_.ForEach(
      [&](const BoxIndex::Found& found) { used = used || found.box->spec.template_id == id; });
  if (used) {
    co_return Fail(ErrorCode::kConflict,
                   "cannot delete template '" + id_or_name +
                       "' because there are paused or running sandboxes using it");
  }
  co_return co_await Shielded(templates_.RemoveSnapshot(std::move(id)));
}

}  // namespace viv::boxes
