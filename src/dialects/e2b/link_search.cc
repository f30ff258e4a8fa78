#include "dialects/e2b/link_search.h"

#include <algorithm>
#include <vector>

namespace viv::e2b {
namespace {

// A token takes some two microseconds to try: a twentieth of one processor at most.
constexpr std::int64_t kTriesPerSecond = 20'000;
constexpr std::int64_t kTriesAtOnce = 5 * kTriesPerSecond;
constexpr std::size_t kLinksKept = 1024;
constexpr std::size_t kSignatureBytesMax = 64;

}  // namespace

LinkSearch::LinkSearch() : left_(kTriesAtOnce) {}

LinkSearch::Found LinkSearch::Find(const boxes::Boxes& boxes,
                                   const FileLink& link,
                                   std::int64_t now_ms) {
  if (link.signature.size() > kSignatureBytesMax) return {};
  std::string known = Recall(link.signature);
  if (!known.empty() && IsSignedWith(link, boxes.AgentToken(known))) return {std::move(known)};
  if (!MayLook(now_ms)) return {.is_busy = true};
  // The ids first: digests under the domain's lock would hold up everybody else.
  std::vector<std::string> ids;
  boxes.ForEachRunning([&ids](const boxes::Box& box) { ids.push_back(box.id); });
  {
    std::lock_guard lock(mutex_);
    left_ -= static_cast<std::int64_t>(ids.size());
  }
  Found found;
  for (const std::string& id : ids)  // all of them: how long it takes tells nothing
    if (IsSignedWith(link, boxes.AgentToken(id))) found.box_id = id;
  if (!found.box_id.empty()) Remember(link.signature, found.box_id);
  return found;
}

bool LinkSearch::MayLook(std::int64_t now_ms) {
  std::lock_guard lock(mutex_);
  const std::int64_t passed = std::clamp<std::int64_t>(now_ms - filled_at_ms_, 0, 60'000);
  left_ = std::min(kTriesAtOnce, left_ + passed * kTriesPerSecond / 1000);
  filled_at_ms_ = now_ms;
  return left_ > 0;
}

std::string LinkSearch::Recall(const std::string& signature) {
  std::lock_guard lock(mutex_);
  auto found = found_.find(signature);
  return found == found_.end() ? std::string() : found->second;
}

void LinkSearch::Remember(const std::string& signature, const std::string& box_id) {
  std::lock_guard lock(mutex_);
  if (found_.size() >= kLinksKept) found_.clear();
  found_[signature] = box_id;
}

}  // namespace viv::e2b
