#pragma once
// The boxes there are, found by id, listed by start and told when their time is over. Readers get
// immutable values; each box has one entry for its whole life. Thread-safe.

#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/async_mutex.h"
#include "sandbox/box_layers.h"
#include "sandbox/box_meter.h"
#include "sandbox/boxes.h"
#include "sandbox/live_box.h"

namespace viv::sandbox {

// One box. Whoever changes it holds `busy`, and with it owns `live` and `place`; the box as others
// see it lies in the index.
struct BoxEntry {
  std::string id;
  AsyncMutex busy;
  std::unique_ptr<LiveBox> live;  // nullptr: no processes, or no such box any more
  Place place;                    // of a stopped box only folder and trees count
  BoxLayers::Hold layers;
  BoxMeter meter;
  std::vector<LogEntry> events;  // of its life, and of the agent when last asked
};
using BoxEntryPtr = std::shared_ptr<BoxEntry>;  // shared with the calls under way

class BoxIndex {
 public:
  struct Found {
    BoxEntryPtr entry;
    BoxPtr box;
    std::shared_ptr<const Place> place;
  };

  // Adds the entry, or shows the box anew.
  void Put(const BoxEntryPtr& entry, Box box);
  void Remove(const std::string& id);

  Found Find(std::string_view id) const;  // empty when there is none
  BoxPage List(const BoxQuery& query) const;
  void ForEach(const std::function<void(const Found&)>& visit) const;  // must not call back
  std::vector<std::string> EndedAt(std::int64_t now_us) const;  // running ones whose time is over
  std::size_t size() const;

 private:
  using StartKey = std::pair<std::int64_t, std::string>;

  void Unlink(const Box& box);

  mutable std::shared_mutex mutex_;  // guards all below
  std::unordered_map<std::string, Found> boxes_;
  std::map<std::string, std::set<StartKey>, std::less<>> by_start_;  // per account
  std::set<StartKey> by_end_;                                        // running ones
};

}  // namespace viv::sandbox
