#pragma once
// Bytes between the socket and the parser: written at the end, taken from the front. It keeps its
// storage between requests, and gives back what only a large one needed.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace viv::http {

class ReadBuffer {
 public:
  std::string_view data() const { return {storage_.data() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }

  void Consume(std::size_t count) {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // Room for at least `size` further bytes.
  char* Prepare(std::size_t size) {
    if (begin_ > 0) {
      std::memmove(storage_.data(), storage_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (storage_.size() < end_ + size) storage_.resize(std::max(end_ + size, 2 * end_));
    return storage_.data() + end_;
  }

  void Commit(std::size_t count) { end_ += count; }

  void Shrink(std::size_t size_max) {
    if (empty() && storage_.size() > size_max) storage_ = std::vector<char>();
  }

 private:
  std::vector<char> storage_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace viv::http
