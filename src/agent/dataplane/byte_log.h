#pragma once
// The output of a command on one stream, addressed by byte offset since the command's start. At
// least the newest 4 MiB are kept. Bytes that were read consecutively from the same stream share a
// sequence number. Sequence numbers are common to both streams of a command, so that a reader of
// both can restore the order of the output.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace viv::agent {

class ByteLog {
 public:
  static constexpr std::size_t kWindowBytes = 4 * 1024 * 1024;

  void Append(std::uint64_t sequence, std::string_view bytes);
  void Close() { closed_ = true; }  // there will be no more output

  bool closed() const { return closed_; }
  std::uint64_t begin() const { return begin_; }  // the oldest byte kept
  std::uint64_t end() const { return end_; }
  std::uint64_t SequenceAt(std::uint64_t offset) const;  // begin() <= offset < end()

  // Returns up to `bytes_max` bytes from `offset`: only those of the same sequence number, or all.
  enum class ReadExtent { kSameSequence, kAll };
  std::string Read(std::uint64_t offset, std::size_t bytes_max, ReadExtent reach) const;

 private:
  struct Chunk {
    std::uint64_t sequence;
    std::uint64_t offset;
    std::string bytes;
  };
  static constexpr std::size_t kChunkBytesMax = 64 * 1024;
  static constexpr std::size_t kChunkCost = 64;  // what a chunk takes beside its bytes
  static constexpr std::size_t kCostMax = kWindowBytes + 4 * kChunkBytesMax;

  std::deque<Chunk>::const_iterator ChunkAt(std::uint64_t offset) const;

  std::deque<Chunk> chunks_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::size_t cost_ = 0;
  bool closed_ = false;
};

}  // namespace viv::agent
