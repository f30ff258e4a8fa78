#pragma once
// One gzip file, compressed by several threads: pieces of the input are deflated beside each other,
// each with the end of the piece before it as its dictionary, and written in their order. Speed
// counts more than size here: it is the lightest compression.

#include <zlib.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"

namespace viv::tools {

class GzipOutput {
 public:
  explicit GzipOutput(int fd);  // which outlives it
  ~GzipOutput();                // what was not finished stays unfinished
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  Status Write(std::string_view bytes);
  Status Finish();  // the end of the file; nothing comes after

 private:
  struct Piece {
    std::string input, dictionary, output;
    bool last = false;
    bool done = false;
    uLong digest = 0;
  };
  Status Submit(bool last);
  Status WriteFront();  // waits for the oldest piece
  void Work();
  static void Compress(Piece& piece);

  const int fd_;
  std::string filling_, dictionary_;
  bool begun_ = false;
  uLong digest_ = 0;
  std::uint64_t size_ = 0;

  std::mutex mutex_;  // guards those below
  std::condition_variable for_workers_, for_writer_;
  std::deque<std::shared_ptr<Piece>> pieces_;  // shared: a worker outlives a writer that gave up
  std::size_t taken_ = 0;                      // of `pieces_`, from the front, by workers
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace viv::tools
