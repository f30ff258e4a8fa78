#include "boxes/box_index.h"

#include <algorithm>
#include <mutex>

namespace viv::boxes {

BoxIndex::AccountBoxes::AccountBoxes() {
  using SortBy = BoxQuery::SortBy;
  for (SortBy by : {SortBy::kStart, SortBy::kCreation, SortBy::kName, SortBy::kState, SortBy::kStop,
                    SortBy::kIdleTime, SortBy::kKeepStopped})
    orders.try_emplace(by, by);
}

void BoxIndex::Unlink(const Box& box) {
  auto account = by_account_.find(box.account_id);
  if (account != by_account_.end()) {
    for (auto& [by, order] : account->second.orders) order.Remove(box);
    if (--account->second.count == 0) by_account_.erase(account);
  }
  if (auto due = due_.find(box.id); due != due_.end()) {
    by_due_.erase({due->second, box.id});
    due_.erase(due);
  }
  ReleaseLocked({box.account_id, box.spec.name}, box.id);
}

void BoxIndex::ReleaseLocked(const NameKey& name, const std::string& id) {
  auto named = by_name_.find(name);
  if (named != by_name_.end() && named->second == id) by_name_.erase(named);
}

bool BoxIndex::ClaimName(const std::string& account_id,
                         const std::string& name,
                         const std::string& id) {
  std::unique_lock lock(mutex_);
  auto [named, added] = by_name_.try_emplace({account_id, name}, id);
  return added || named->second == id;
}

void BoxIndex::ReleaseName(const std::string& account_id,
                           const std::string& name,
                           const std::string& id) {
  std::unique_lock lock(mutex_);
  ReleaseLocked({account_id, name}, id);
}

std::int64_t BoxIndex::DueOf(const Box& box, const BoxEntry& entry) {
  const BoxSpec& spec = box.spec;
  if (box.state == BoxState::kStarting) return 0;
  if (box.state != BoxState::kRunning) {
    if (spec.keep_stopped_seconds == 0 || box.stopped_at_us == 0) return 0;
    return box.stopped_at_us + spec.keep_stopped_seconds * 1'000'000;
  }
  std::int64_t due_us = box.ends_at_us == kNoEndUs ? 0 : box.ends_at_us;
  if (spec.idle_seconds == 0) return due_us;
  const std::int64_t active_at_us = std::max(entry.active_at_us.load(), box.started_at_us);
  const std::int64_t idle_us = active_at_us + spec.idle_seconds * 1'000'000;
  return due_us == 0 ? idle_us : std::min(due_us, idle_us);
}

void BoxIndex::SetDueLocked(const std::string& id, std::int64_t due_us) {
  if (auto due = due_.find(id); due != due_.end()) {
    by_due_.erase({due->second, id});
    due_.erase(due);
  }
  if (due_us == 0) return;
  due_[id] = due_us;
  by_due_.insert({due_us, id});
}

void BoxIndex::SetDue(const std::string& id, std::int64_t due_us) {
  std::unique_lock lock(mutex_);
  if (boxes_.contains(id)) SetDueLocked(id, due_us);
}

void BoxIndex::Put(const BoxEntryPtr& entry, Box box) {
  auto shown = std::make_shared<const Box>(std::move(box));
  auto handle =
      std::make_shared<const BoxHandle>(entry->live ? entry->live->handle : entry->handle);
  std::unique_lock lock(mutex_);
  Found& found = boxes_[shown->id];
  if (found.box != nullptr) Unlink(*found.box);
  AccountBoxes& account_boxes = by_account_[shown->account_id];
  for (auto& [by, order] : account_boxes.orders) order.Add(shown);
  ++account_boxes.count;
  if (!shown->spec.name.empty()) by_name_[{shown->account_id, shown->spec.name}] = shown->id;
  SetDueLocked(shown->id, DueOf(*shown, *entry));
  found = {entry, std::move(shown), std::move(handle)};
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

BoxIndex::Found BoxIndex::FindByName(std::string_view account_id, std::string_view name) const {
  std::shared_lock lock(mutex_);
  auto named = by_name_.find({std::string(account_id), std::string(name)});
  if (named == by_name_.end()) return {};
  auto found = boxes_.find(named->second);  // none while it is only claimed
  return found == boxes_.end() ? Found{} : found->second;
}

BoxPage BoxIndex::List(const BoxQuery& query) const {
  std::shared_lock lock(mutex_);
  auto account = by_account_.find(query.account_id);
  if (account == by_account_.end()) return {};
  return account->second.orders.at(query.sort_by).List(query);
}

void BoxIndex::ForEach(const std::function<void(const Found&)>& visit) const {
  std::shared_lock lock(mutex_);
  for (const auto& [id, found] : boxes_) visit(found);
}

std::vector<std::string> BoxIndex::DueAt(std::int64_t now_us) const {
  std::vector<std::string> ids;
  std::shared_lock lock(mutex_);
  for (const auto& [due_us, id] : by_due_) {
    if (due_us > now_us) break;
    ids.push_back(id);
  }
  return ids;
}

std::size_t BoxIndex::size() const {
  std::shared_lock lock(mutex_);
  return boxes_.size();
}

}  // namespace viv::boxes
