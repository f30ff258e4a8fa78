#include "sandbox/box_index.h"

#include <mutex>

namespace viv::sandbox {

void BoxIndex::Unlink(const Box& box) {
  auto account = by_start_.find(box.account_id);
  if (account != by_start_.end()) {
    account->second.erase({box.started_at_us, box.id});
    if (account->second.empty()) by_start_.erase(account);
  }
  by_end_.erase({box.ends_at_us, box.id});
}

void BoxIndex::Put(const BoxEntryPtr& entry, Box box) {
  auto shown = std::make_shared<const Box>(std::move(box));
  auto place = std::make_shared<const Place>(entry->live ? entry->live->place : entry->place);
  std::unique_lock lock(mutex_);
  Found& found = boxes_[shown->id];
  if (found.box != nullptr) Unlink(*found.box);
  by_start_[shown->account_id].insert({shown->started_at_us, shown->id});
  if (shown->state == BoxState::kRunning) by_end_.insert({shown->ends_at_us, shown->id});
  found = {entry, std::move(shown), std::move(place)};
}

void BoxIndex::Remove(const std::string& id) {
  std::unique_lock lock(mutex_);
  auto found = boxes_.find(id);
  if (found == boxes_.end()) return;
  Unlink(*found->second.box);
  boxes_.erase(found);
}

BoxIndex::Found BoxIndex::Find(std::string_view id) const {
  std::shared_lock lock(mutex_);
  auto found = boxes_.find(std::string(id));
  return found == boxes_.end() ? Found{} : found->second;
}

BoxPage BoxIndex::List(const BoxQuery& query) const {
  BoxPage page;
  std::shared_lock lock(mutex_);
  auto account = by_start_.find(query.account_id);
  if (account == by_start_.end()) return page;
  const std::set<StartKey>& keys = account->second;
  // Whether the page is full; then one more fits the query.
  auto visit = [&](const StartKey& key) {
    const BoxPtr& box = boxes_.at(key.second).box;
    if (query.accept && !query.accept(*box)) return false;
    if (page.boxes.size() == query.limit) return page.more = true;
    page.boxes.push_back(box);
    return false;
  };
  StartKey after;
  if (query.after) after = {query.after->started_at_us, query.after->id};
  if (query.order == BoxQuery::Order::kOldestFirst) {
    auto it = query.after ? keys.upper_bound(after) : keys.begin();
    while (it != keys.end() && !visit(*it)) ++it;
  } else {
    auto it = query.after ? keys.lower_bound(after) : keys.end();
    while (it != keys.begin() && !visit(*--it)) continue;
  }
  return page;
}

void BoxIndex::ForEach(const std::function<void(const Found&)>& visit) const {
  std::shared_lock lock(mutex_);
  for (const auto& [id, found] : boxes_) visit(found);
}

std::vector<std::string> BoxIndex::EndedAt(std::int64_t now_us) const {
  std::vector<std::string> ids;
  std::shared_lock lock(mutex_);
  for (const auto& [ends_at_us, id] : by_end_) {
    if (ends_at_us > now_us) break;
    ids.push_back(id);
  }
  return ids;
}

std::size_t BoxIndex::size() const {
  std::shared_lock lock(mutex_);
  return boxes_.size();
}

}  // namespace viv::sandbox
