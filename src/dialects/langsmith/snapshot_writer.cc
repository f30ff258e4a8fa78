#include "dialects/langsmith/snapshot_writer.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/run_to_end.h"

namespace viv::langsmith {

SnapshotWriter::SnapshotWriter(Context& context)
    : context_(context), writer_reference_(std::make_shared<WriterReference>()) {
  writer_reference_->writer = this;
}

SnapshotWriter::~SnapshotWriter() {
  std::lock_guard lock(writer_reference_->mutex);
  writer_reference_->writer = nullptr;
}

Task<Status> SnapshotWriter::SaveLocked(KnownSnapshot& snapshot) {
  std::vector<accounts::DocumentTable::Entry> changed;
  for (KnownSnapshot& other : KnownSnapshots(context_, snapshot.account_id)) {
    if (other.id == snapshot.id || other.name != snapshot.name) continue;
    if (std::erase(other.tags, snapshot.wanted_tag) > 0) changed.push_back(EntryOf(other));
  }
  for (accounts::DocumentTable::Entry& entry : changed)
    CO_RETURN_IF_ERROR(co_await context_.snapshots.Put(std::move(entry)));
  snapshot.tags = {snapshot.wanted_tag};
  snapshot.status = SnapshotStatus::kReady;
  snapshot.updated_at_us = NowUs();
  accounts::DocumentTable::Entry own = EntryOf(snapshot);
  co_return co_await context_.snapshots.Put(std::move(own));
}

Task<Result<KnownSnapshot>> SnapshotWriter::Save(KnownSnapshot snapshot) {
  AsyncMutex::Lock lock = co_await mutex_.Acquire();
  CO_RETURN_IF_ERROR(co_await SaveLocked(snapshot), "store the snapshot");
  co_return snapshot;
}

Task<Result<KnownSnapshot>> SnapshotWriter::Build(KnownSnapshot snapshot,
                                                  boxes::ImportImage import) {
  if (context_.images == nullptr)
    co_return Fail(ErrorCode::kUnavailable, "this server makes snapshots of boxes only");
  snapshot.status = SnapshotStatus::kBuilding;
  accounts::DocumentTable::Entry entry = EntryOf(snapshot);
  auto done = [writer_reference = writer_reference_, account_id = snapshot.account_id,
               id = snapshot.id](Result<boxes::ImportedImage> imported) {
    std::lock_guard lock(writer_reference->mutex);
    if (writer_reference->writer == nullptr) return;
    Status ended =
        RunToEnd(writer_reference->writer->FinishBuild(account_id, id, std::move(imported)));
    if (!ended) log::Error("snapshot.not_kept", {{"id", id}, {"error", ended.error().message}});
  };
  // Started before it is recorded, so that it is not taken for an interrupted build; its end waits
  // for the lock.
  AsyncMutex::Lock lock = co_await mutex_.Acquire();
  CO_RETURN_IF_ERROR(context_.images->Start(std::move(import), std::move(done)));
  CO_RETURN_IF_ERROR(co_await context_.snapshots.Put(std::move(entry)), "store the snapshot");
  co_return snapshot;
}

Task<Status> SnapshotWriter::FinishBuild(std::string account_id,
                                         std::string id,
                                         Result<boxes::ImportedImage> imported) {
  AsyncMutex::Lock lock = co_await mutex_.Acquire();
  std::optional<KnownSnapshot> snapshot;
  for (KnownSnapshot& one : KnownSnapshots(context_, account_id))
    if (one.id == id) snapshot = std::move(one);
  // Without an entry in our table no client knows of the snapshot.
  if (context_.snapshots.Find(id) == nullptr || !snapshot) {
    if (!imported) co_return Status();
    co_return co_await context_.boxes.RemoveTemplate(account_id, id);
  }
  if (imported) {
    snapshot->image_digest = imported->digest;
    snapshot->user = imported->user;
    snapshot->workdir = imported->workdir;
    snapshot->message.clear();
    co_return co_await SaveLocked(*snapshot);
  }
  snapshot->status = SnapshotStatus::kFailed;
  snapshot->message = imported.error().message;
  snapshot->updated_at_us = NowUs();
  accounts::DocumentTable::Entry entry = EntryOf(*snapshot);
  co_return co_await context_.snapshots.Put(std::move(entry));
}

Task<Status> SnapshotWriter::Remove(KnownSnapshot snapshot) {
  if (snapshot.status == SnapshotStatus::kBuilding)
    co_return Fail(
        ErrorCode::kConflict,
        "snapshot '" + snapshot.name + "' is being built: delete it once it is ready or failed");
  AsyncMutex::Lock lock = co_await mutex_.Acquire();
  if (snapshot.status == SnapshotStatus::kReady) {
    Status removed = co_await context_.boxes.RemoveTemplate(snapshot.account_id, snapshot.id);
    if (!removed && removed.error().code == ErrorCode::kConflict)
      co_return Fail(ErrorCode::kConflict,
                     "snapshot '" + snapshot.name +
                         "' is in use: delete the sandboxes that were created from it first");
    if (!removed) co_return PassUp(std::move(removed).error());
  }
  if (context_.snapshots.Find(snapshot.account_id, snapshot.id) == nullptr) co_return Status();
  co_return co_await context_.snapshots.Remove(snapshot.id);
}

}  // namespace viv::langsmith
