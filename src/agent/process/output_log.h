#pragma once
// The output of a process in order, addressed by byte offset since its start. Only the newest bytes
// are kept, a window of fixed size. Each reader has its own offset: no reader delays another, and
// one whose offset falls out of the window is lost. While even the fastest reader is far behind,
// wants_more() is false and the process is not read; without readers the oldest bytes are dropped.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/process/running_process.h"

namespace viv::agent {

class OutputLog {
 public:
  static constexpr std::size_t kWindowBytes = 4 * 1024 * 1024;
  static constexpr std::size_t kLeadBytesMax = 1024 * 1024;  // of the process before its readers
  static constexpr std::size_t kPieceBytesMax = 32 * 1024;

  struct Piece {
    OutputStream stream;
    std::string bytes;
  };
  class Reader {
   public:
    Reader(OutputLog& log, std::uint64_t offset);  // the log outlives it
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    bool lost() const;            // the next output of this reader was dropped
    std::optional<Piece> Next();  // nothing when all was read, or it is lost

   private:
    friend class OutputLog;
    OutputLog& log_;
    std::uint64_t offset_;
  };

  void Append(OutputStream stream, std::string_view bytes);
  void Trim(std::size_t bytes_max);  // forgets the oldest
  bool wants_more() const;
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::size_t readers() const { return readers_.size(); }

 private:
  struct Chunk {
    OutputStream stream;
    std::uint64_t offset;
    std::string bytes;
  };
  static constexpr std::size_t kChunkCost = 64;  // what a chunk takes beside its bytes

  std::deque<Chunk> chunks_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::size_t cost_ = 0;
  std::vector<const Reader*> readers_;
};

}  // namespace viv::agent
