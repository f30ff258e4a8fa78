#pragma once
// All boxes: finds them by id or name, lists them in every sort order, and knows the next deadline
// of each. Readers get immutable values; each box has one entry for its whole life. Thread-safe.

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "accounts/budgets.h"
#include "base/async_mutex.h"
#include "boxes/box_layers.h"
#include "boxes/box_meter.h"
#include "boxes/boxes.h"
#include "boxes/live_box.h"
#include "boxes/sorted_boxes.h"

namespace viv::boxes {

// One box. Whoever changes it has locked `mutex`, which also guards `live` and `handle`. Readers
// see the immutable Box in the index.
struct BoxEntry {
  std::string id;
  AsyncMutex mutex;
  std::unique_ptr<LiveBox> live;  // nullptr: no processes, or no such box any more
  BoxHandle handle;               // of a stopped box only folder and overlays count
  std::string parked_key;         // the pool of parked boxes that start alike; empty: none
  BoxLayers::Reference layers;
  accounts::Charge charge;  // of its account's budgets
  BoxMeter meter;
  std::vector<LogEntry> events;                // what happened to it
  bool setup_due = false;                      // the agent has not been sent the latest settings
  std::atomic<bool> thaw_due = false;          // it is recorded as running, and still frozen
  std::atomic<std::int64_t> active_at_us = 0;  // when it was last active, as far as is known
  // Its processes are frozen because the disk is almost full, whatever its record says.
  std::atomic<bool> frozen_for_disk = false;
  std::optional<std::uint64_t> written_bytes;  // at the last check; set while disk space is low
};
using BoxEntryPtr = std::shared_ptr<BoxEntry>;  // shared with the calls in progress

class BoxIndex {
 public:
  struct Found {
    BoxEntryPtr entry;
    BoxPtr box;
    std::shared_ptr<const BoxHandle> handle;
  };

  // Adds the entry, or publishes a new version of its box.
  void Put(const BoxEntryPtr& entry, Box box);
  void Remove(const std::string& id);

  // Reserves the name for the box; false if another box of the account has it. Put keeps the
  // reservation; ReleaseName drops that of a box that could not be started.
  bool ClaimName(const std::string& account_id, const std::string& name, const std::string& id);
  void ReleaseName(const std::string& account_id, const std::string& name, const std::string& id);

  Found Find(std::string_view id) const;  // empty when there is none
  Found FindByName(std::string_view account_id, std::string_view name) const;
  BoxPage List(const BoxQuery& query) const;
  void ForEach(
      const std::function<void(const Found&)>& visit) const;  // `visit` must not call this index
  // The boxes with a deadline that has passed: their end, their idle timeout, or the time they are
  // kept after a stop.
  std::vector<std::string> DueAt(std::int64_t now_us) const;
  void SetDue(const std::string& id, std::int64_t due_us);  // until the next Put of the box
  std::size_t size() const;

 private:
  using TimeKey = std::pair<std::int64_t, std::string>;

  using NameKey = std::pair<std::string, std::string>;  // of an account and a box

  void Unlink(const Box& box);
  void ReleaseLocked(const NameKey& name, const std::string& id);
  void SetDueLocked(const std::string& id, std::int64_t due_us);
  static std::int64_t DueOf(const Box& box, const BoxEntry& entry);  // 0: never

  mutable std::shared_mutex mutex_;  // guards all below
  std::unordered_map<std::string, Found> boxes_;
  struct AccountBoxes {  // of one account
    AccountBoxes();
    std::size_t count = 0;
    std::map<BoxQuery::SortBy, SortedBoxes> orders;
  };
  std::map<std::string, AccountBoxes, std::less<>> by_account_;
  std::map<NameKey, std::string> by_name_;  // the box's id
  std::set<TimeKey> by_due_;
  std::unordered_map<std::string, std::int64_t> due_;  // the same, by id
};

}  // namespace viv::boxes
