#pragma once
// Sandboxes in listing order, newest first by (updated_at_us, id). A page at any offset costs its
// own size: the order is kept in chunks, so an offset skips whole chunks, and a change moves
// entries within one chunk only. Chunks are contiguous, which makes a filtered walk over everything
// fast.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "store/records.h"

namespace viv::store {

class NewestFirst {
 public:
  void Insert(SandboxPtr sandbox);     // one that is not there yet
  void Erase(const Sandbox& sandbox);  // one that is there, with the same id and updated_at_us
  std::size_t size() const { return size_; }

  std::vector<SandboxPtr> Page(std::size_t offset, std::size_t limit) const;

  // The same among those that `accept` takes; `total` becomes their number.
  std::vector<SandboxPtr> Page(const std::function<bool(const Sandbox&)>& accept,
                               std::size_t offset,
                               std::size_t limit,
                               std::size_t& total) const;

 private:
  struct Entry {
    std::int64_t updated_at_us;  // as in the record, here to compare without touching it
    SandboxPtr sandbox;
  };
  // Oldest first inside, because what changes becomes the newest and is then a push_back.
  using Chunk = std::vector<Entry>;

  static bool IsBefore(const Entry& entry, const Sandbox& sandbox);
  std::size_t FindChunk(const Sandbox& sandbox) const;  // the first one not wholly before it
  void Split(std::size_t chunk);
  void MergeWithNext(std::size_t chunk);

  std::vector<Chunk> chunks_;  // none is empty
  std::size_t size_ = 0;
};

}  // namespace viv::store
