#include "store/sqlite/group_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.h"

namespace viv::store {

GroupWriter::GroupWriter(RecordRows rows, std::shared_mutex& records, Options options)
    : rows_(std::move(rows)),
      records_(records),
      options_(std::move(options)),
      thread_([this] { Run(); }) {}

GroupWriter::~GroupWriter() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Status GroupWriter::CheckQueueLimit() const {
  std::lock_guard lock(mutex_);
  if (queue_.size() < options_.queue_max) return {};
  return Fail(ErrorCode::kUnavailable, "too many writes are waiting for the disk");
}

void GroupWriter::Enqueue(Change change) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(change));
  }
  wake_.notify_one();
}

void GroupWriter::Run() {
  while (true) {
    Group group = NextGroup();
    if (group.empty()) return;
    Status written = Write(group);
    if (!written) {
      // Whatever the disk's reason, to the caller it means: not now.
      written = Fail(ErrorCode::kUnavailable, "store: " + written.error().message);
      RollBack(group);
      log::Error("store.write_failed",
                 {{"reason", written.error().message}, {"changes", group.size()}});
    }
    for (Change& change : group) change.waiter->Done(written);
  }
}

GroupWriter::Group GroupWriter::NextGroup() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  if (queue_.size() <= options_.group_max) return std::exchange(queue_, {});
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(options_.group_max);
  Group group(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return group;
}

Status GroupWriter::Write(Group& group) {
  ASSIGN_OR_RETURN(db::Transaction transaction, db::Transaction::Begin(rows_.connection()));
  for (Change& change : group) RETURN_IF_ERROR(change.write(rows_), "write");
  if (options_.before_commit != nullptr) RETURN_IF_ERROR(options_.before_commit(), "commit");
  return transaction.Commit();
}

// Undoes the group and all changes queued behind it, which join the group so that their callers get
// the error.
void GroupWriter::RollBack(Group& group) {
  std::unique_lock records_lock(records_);  // from here on no change can be queued
  std::lock_guard lock(mutex_);
  std::move(queue_.begin(), queue_.end(), std::back_inserter(group));
  queue_.clear();
  std::for_each(group.rbegin(), group.rend(), [](Change& change) { change.undo(); });
}

}  // namespace viv::store
