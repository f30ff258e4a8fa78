#pragma once
// Changes to an account's snapshots, one at a time: a tag of a name belongs to one snapshot, so
// that giving it to one takes it from another. Also what a build's end leads to; once the desk is
// gone that leads to nothing.

#include <memory>
#include <mutex>
#include <string>

#include "base/async_mutex.h"
#include "dialects/langsmith/context.h"
#include "dialects/langsmith/snapshot_book.h"

namespace viv::langsmith {

class SnapshotDesk {
 public:
  explicit SnapshotDesk(Context& context);
  ~SnapshotDesk();  // waits for an end of a build that is being kept

  Context& context() { return context_; }

  // Keeps one that is ready; it takes its tag.
  Task<Result<KnownSnapshot>> Keep(KnownSnapshot snapshot);
  // Keeps one as being built, and starts the build.
  Task<Result<KnownSnapshot>> Build(KnownSnapshot snapshot, boxes::ImportImage import);
  // kConflict while a box stands on it, or it is being built.
  Task<Status> Remove(KnownSnapshot snapshot);

 private:
  struct Gate {
    std::mutex mutex;  // guards the one below, and is held while it is used
    SnapshotDesk* desk = nullptr;
  };

  Task<Status> KeepLocked(KnownSnapshot& snapshot);
  Task<Status> End(std::string account_id, std::string id, Result<boxes::ImportedImage> imported);
  std::int64_t NowUs() const { return context_.clock() * 1000; }

  Context& context_;
  AsyncMutex busy_;             // held from reading the ledger to writing it
  std::shared_ptr<Gate> gate_;  // shared with builds, which may outlive us
};

}  // namespace viv::langsmith
