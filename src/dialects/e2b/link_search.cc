#include "dialects/e2b/link_search.h"

#include <algorithm>
#include <vector>

namespace viv::e2b {
namespace {

// A token takes some two microseconds to try: a twentieth of one processor at most.
constexpr std::int64_t kTriesPerSecond = 20'000;
constexpr std::int64_t kTriesAtOnce = 5 * kTriesPerSecond;
constexpr std::size_t kLinksCachedMax = 1024;
constexpr std::size_t kSignatureBytesMax = 64;

}  // namespace

LinkSearch::LinkSearch() : budget_left_(kTriesAtOnce) {}

LinkSearch::Found LinkSearch::Find(const boxes::Boxes& boxes,
                                   const FileLink& link,
                                   std::int64_t now_ms) {
  if (link.signature.size() > kSignatureBytesMax) return {};
  std::string known = FindCached(link.signature);
  if (!known.empty() && IsSignedWith(link, boxes.AgentToken(known))) return {std::move(known)};
  if (!HasBudget(now_ms)) return {.is_busy = true};
  // The ids are collected first: computing digests under the domain's lock would block all other
  // requests.
  std::vector<std::string> ids;
  boxes.ForEachRunning([&ids](const boxes::Box& box) { ids.push_back(box.id); });
  {
    std::lock_guard lock(mutex_);
    budget_left_ -= static_cast<std::int64_t>(ids.size());
  }
  Found found;
  for (const std::string& id : ids)  // all of them, so that the duration reveals nothing
    if (IsSignedWith(link, boxes.AgentToken(id))) found.box_id = id;
  if (!found.box_id.empty()) AddToCache(link.signature, found.box_id);
  return found;
}

bool LinkSearch::HasBudget(std::int64_t now_ms) {
  std::lock_guard lock(mutex_);
  const std::int64_t passed = std::clamp<std::int64_t>(now_ms - refilled_at_ms_, 0, 60'000);
  budget_left_ = std::min(kTriesAtOnce, budget_left_ + passed * kTriesPerSecond / 1000);
  refilled_at_ms_ = now_ms;
  return budget_left_ > 0;
}

std::string LinkSearch::FindCached(const std::string& signature) {
  std::lock_guard lock(mutex_);
  auto found = cache_.find(signature);
  return found == cache_.end() ? std::string() : found->second;
}

void LinkSearch::AddToCache(const std::string& signature, const std::string& box_id) {
  std::lock_guard lock(mutex_);
  if (cache_.size() >= kLinksCachedMax) cache_.clear();
  cache_[signature] = box_id;
}

}  // namespace viv::e2b
