#pragma once
// The thread that writes to the database. It takes all changes that were queued while it was busy
// and commits them together (group commit): however many callers wait, each waits for at most two
// commits.
// A change is applied in memory first, by the caller, who queues it under the same lock; so the
// order on disk is the order in memory. When a group fails, it and everything queued behind it,
// which may build on it, is undone in memory in reverse order, and the callers get the error.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "base/result.h"
#include "store/sqlite/record_rows.h"
#include "store/sqlite/waiter.h"

namespace viv::store {

class GroupWriter {
 public:
  struct Change {
    std::function<Status(RecordRows&)> write;  // on the writer's thread, in a transaction
    std::function<void()> undo;                // on the writer's thread, under the records' lock
    std::unique_ptr<Waiter> waiter;
  };
  struct Options {
    std::size_t group_max = 1024;                // changes in one commit
    std::size_t queue_max = 100'000;             // further ones are refused
    std::function<Status()> before_commit = {};  // for tests: an error here is a failed commit
  };

  // `records` guards what `undo` changes.
  GroupWriter(RecordRows rows, std::shared_mutex& records, Options options);
  ~GroupWriter();  // after writing what is queued

  // Both under an exclusive lock of `records`; Enqueue only right after CheckQueueLimit allowed it.
  Status CheckQueueLimit() const;
  void Enqueue(Change change);

 private:
  using Group = std::deque<Change>;

  void Run();
  Group NextGroup();  // empty: stop
  Status Write(Group& group);
  void RollBack(Group& group);

  RecordRows rows_;
  std::shared_mutex& records_;
  const Options options_;

  mutable std::mutex mutex_;  // guards the two below
  Group queue_;
  bool stopping_ = false;
  std::condition_variable wake_;

  std::thread thread_;
};

}  // namespace viv::store
