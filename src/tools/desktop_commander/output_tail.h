#pragma once
// The output of a process, of which only the last part is kept: a flood costs nothing but its own
// beginning.

#include <string>
#include <string_view>

namespace viv::tools::commander {

class OutputTail {
 public:
  static constexpr std::size_t kBytesMax = 256 << 10;

  void Add(std::string_view bytes);
  std::string Text() const;  // begins with a note when something was dropped
  std::string Take();        // the same, and nothing is left
  bool empty() const { return kept_.empty(); }

 private:
  std::string kept_;
  std::size_t dropped_ = 0;
};

}  // namespace viv::tools::commander
