#include "store/newest_first.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace viv::store {
namespace {

constexpr std::size_t kChunkMax = 512;
// How many records ahead a walk asks for: they lie scattered in memory, and waiting for each in
// turn is most of what a filter over 100,000 of them costs.
constexpr std::size_t kPrefetchAhead = 8;

// Only the cache lines of what filters usually read: to ask for whole records gained nothing.
void Prefetch(const Sandbox& sandbox) {
  __builtin_prefetch(&sandbox.state);
  __builtin_prefetch(&sandbox.benchmark);
}

}  // namespace

bool NewestFirst::IsBefore(const Entry& entry, const Sandbox& sandbox) {
  if (entry.updated_at_us != sandbox.updated_at_us) {
    return entry.updated_at_us < sandbox.updated_at_us;
  }
  return entry.sandbox->id < sandbox.id;
}

std::size_t NewestFirst::FindChunk(const Sandbox& sandbox) const {
  auto found = std::partition_point(chunks_.begin(), chunks_.end(), [&sandbox](const Chunk& chunk) {
    return IsBefore(chunk.back(), sandbox);
  });
  return static_cast<std::size_t>(found - chunks_.begin());
}

void NewestFirst::Insert(SandboxPtr sandbox) {
  ++size_;
  Entry entry{sandbox->updated_at_us, std::move(sandbox)};
  std::size_t at = FindChunk(*entry.sandbox);
  if (at == chunks_.size()) {  // the newest of all
    if (chunks_.empty() || chunks_.back().size() >= kChunkMax) chunks_.emplace_back();
    chunks_.back().push_back(std::move(entry));
    return;
  }
  if (chunks_[at].size() >= kChunkMax) {
    Split(at);
    at = FindChunk(*entry.sandbox);
  }
  Chunk& chunk = chunks_[at];
  auto place = std::lower_bound(chunk.begin(), chunk.end(), *entry.sandbox, IsBefore);
  chunk.insert(place, std::move(entry));
}

void NewestFirst::Erase(const Sandbox& sandbox) {
  const std::size_t at = FindChunk(sandbox);
  CHECK(at < chunks_.size());
  Chunk& chunk = chunks_[at];
  auto place = std::lower_bound(chunk.begin(), chunk.end(), sandbox, IsBefore);
  CHECK(place != chunk.end() && place->sandbox->id == sandbox.id);
  chunk.erase(place);
  --size_;
  if (chunk.empty()) {
    chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  MergeWithNext(at);
  if (at > 0) MergeWithNext(at - 1);
}

void NewestFirst::Split(std::size_t chunk) {
  Chunk& older = chunks_[chunk];
  const auto middle = older.begin() + static_cast<std::ptrdiff_t>(older.size() / 2);
  Chunk newer(std::make_move_iterator(middle), std::make_move_iterator(older.end()));
  older.erase(middle, older.end());
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1, std::move(newer));
}

void NewestFirst::MergeWithNext(std::size_t chunk) {
  if (chunk + 1 >= chunks_.size()) return;
  Chunk& older = chunks_[chunk];
  Chunk& newer = chunks_[chunk + 1];
  if (older.size() + newer.size() > kChunkMax / 2) return;
  std::move(newer.begin(), newer.end(), std::back_inserter(older));
  chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1);
}

std::vector<SandboxPtr> NewestFirst::Page(std::size_t offset, std::size_t limit) const {
  std::vector<SandboxPtr> page;
  if (offset >= size_) return page;
  limit = std::min(limit, size_ - offset);
  page.reserve(limit);
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend() && page.size() < limit; ++chunk) {
    if (offset >= chunk->size()) {
      offset -= chunk->size();
      continue;
    }
    const std::size_t count = std::min(limit - page.size(), chunk->size() - offset);
    auto first = chunk->rbegin() + static_cast<std::ptrdiff_t>(offset);
    std::transform(first, first + static_cast<std::ptrdiff_t>(count), std::back_inserter(page),
                   [](const Entry& entry) { return entry.sandbox; });
    offset = 0;
  }
  return page;
}

std::vector<SandboxPtr> NewestFirst::Page(const std::function<bool(const Sandbox&)>& accept,
                                          std::size_t offset,
                                          std::size_t limit,
                                          std::size_t& total) const {
  std::vector<SandboxPtr> page;
  total = 0;
  for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
    for (std::size_t i = chunk->size(); i-- > 0;) {
      if (i >= kPrefetchAhead) Prefetch(*(*chunk)[i - kPrefetchAhead].sandbox);
      const SandboxPtr& sandbox = (*chunk)[i].sandbox;
      if (!accept(*sandbox)) continue;
      if (total >= offset && page.size() < limit) page.push_back(sandbox);
      ++total;
    }
  }
  return page;
}

}  // namespace viv::store
