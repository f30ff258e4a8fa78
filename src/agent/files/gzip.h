#pragma once
// gzip in pieces: neither side ever holds more than a piece of the data.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace viv::agent {

class GzipWriter {
 public:
  GzipWriter();
  ~GzipWriter();
  std::string Add(std::string_view bytes);  // what became ready; may be empty
  std::string Finish();

 private:
  class Stream;
  std::string Run(std::string_view bytes, int flush);
  std::unique_ptr<Stream> stream_;
};

class GzipReader {
 public:
  // More than that is refused: a few bytes can stand for a disk full.
  explicit GzipReader(std::uint64_t bytes_max);
  ~GzipReader();

  // Only when Next answered with an empty piece, or at the start.
  void Feed(std::string bytes);
  // The next piece, at most 256 KiB; empty when more input is needed. kInvalidArgument when it is
  // no gzip, kLimitExceeded beyond the limit.
  Result<std::string> Next();
  // Whether the input so far was whole.
  bool complete() const { return complete_; }

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
  std::string input_;
  std::uint64_t bytes_left_;
  bool complete_ = false;
};

}  // namespace viv::agent
