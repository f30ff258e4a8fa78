#include "agent/dataplane/byte_log.h"

#include <algorithm>

#include "base/check.h"

namespace viv::agent {

void ByteLog::Append(std::uint64_t sequence, std::string_view bytes) {
  while (!bytes.empty()) {
    bool joins = !chunks_.empty() && chunks_.back().sequence == sequence &&
                 chunks_.back().bytes.size() < kChunkBytesMax;
    if (!joins) {
      chunks_.push_back({sequence, end_, {}});
      cost_ += kChunkCost;
    }
    std::string& last = chunks_.back().bytes;
    std::string_view part = bytes.substr(0, kChunkBytesMax - last.size());
    last += part;
    bytes.remove_prefix(part.size());
    end_ += part.size();
    cost_ += part.size();
  }
  while (cost_ > kCostMax) {
    cost_ -= chunks_.front().bytes.size() + kChunkCost;
    chunks_.pop_front();
  }
  begin_ = chunks_.empty() ? end_ : chunks_.front().offset;
}

std::deque<ByteLog::Chunk>::const_iterator ByteLog::ChunkAt(std::uint64_t offset) const {
  CHECK(offset >= begin_ && offset < end_);
  auto after = std::upper_bound(
      chunks_.begin(), chunks_.end(), offset,
      [](std::uint64_t wanted, const Chunk& chunk) { return wanted < chunk.offset; });
  return std::prev(after);
}

std::uint64_t ByteLog::SequenceAt(std::uint64_t offset) const {
  return ChunkAt(offset)->sequence;
}

std::string ByteLog::Read(std::uint64_t offset, std::size_t bytes_max, ReadExtent reach) const {
  std::string bytes;
  if (offset >= end_) return bytes;
  auto chunk = ChunkAt(offset);
  const std::uint64_t sequence = chunk->sequence;
  for (; chunk != chunks_.end() && bytes.size() < bytes_max; ++chunk) {
    if (reach == ReadExtent::kSameSequence && chunk->sequence != sequence) break;
    std::string_view part = chunk->bytes;
    part.remove_prefix(offset + bytes.size() - chunk->offset);
    bytes += part.substr(0, bytes_max - bytes.size());
  }
  return bytes;
}

}  // namespace viv::agent
