#pragma once
// Serializes changes of snapshots: a tag of a name belongs to one snapshot, so adding it to one
// removes it from another. Also stores the results of builds; a build that ends after the writer is
// destroyed is ignored.

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
  ~SnapshotWriter();  // waits for the result of a build that is being stored

  Context& context() { return context_; }

  // Stores a snapshot that is ready and moves the tag to it.
  Task<Result<KnownSnapshot>> Save(KnownSnapshot snapshot);
  // Stores a snapshot as being built, and starts the build.
  Task<Result<KnownSnapshot>> Build(KnownSnapshot snapshot, boxes::ImportImage import);
  // kConflict while a box uses it or it is being built.
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
  AsyncMutex mutex_;  // locked from reading the table to writing it
  std::shared_ptr<WriterReference> writer_reference_;  // shared with builds, which may outlive us
};

}  // namespace viv::langsmith
