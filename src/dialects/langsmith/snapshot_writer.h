#pragma once
// Changes to an account's snapshots, one at a time: a tag of a name belongs to one snapshot, so
// that giving it to one takes it from another. Also what a build's end leads to; once the desk is
// gone that leads to nothing.

#include <memory>
#include <mutex>
#include <string>

#include "base/async_mutex.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/snapshot_records.h"

namespace viv::langsmith {

class SnapshotWriter {
 public:
  explicit SnapshotWriter(Context& context);
  ~SnapshotWriter();  // waits for an end of a build that is being kept

  Context& context() { return context_; }

  // Keeps one that is ready; it takes its tag.
  Task<Result<KnownSnapshot>> Save(KnownSnapshot snapshot);
  // Keeps one as being built, and starts the build.
  Task<Result<KnownSnapshot>> Build(KnownSnapshot snapshot, boxes::ImportImage import);
  // kConflict while a box stands on it, or it is being built.
  Task<Status> Remove(KnownSnapshot snapshot);

 private:
  struct WriterReference {
    std::mutex mutex;  // guards the one below, and is held while it is used
    SnapshotWriter* writer = nullptr;
  };

  Task<Status> SaveLocked(KnownSnapshot& snapshot);
  Task<Status> FinishBuild(std::string account_id,
                           std::string id,
                           Result<boxes::ImportedImage> imported);
  std::int64_t NowUs() const { return context_.clock() * 1000; }

  Context& context_;
  AsyncMutex mutex_;                                   // held from reading the table to writing it
  std::shared_ptr<WriterReference> writer_reference_;  // shared with builds, which may outlive us
};

}  // namespace viv::langsmith
