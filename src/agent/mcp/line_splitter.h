#pragma once
// Splits a program's output into lines. A line that exceeds the limit is dropped, and lost_one()
// reports it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace viv::agent {

class LineSplitter {
 public:
  explicit LineSplitter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  // Takes bytes up to and with the first line break off `bytes`: the line, once it is whole.
  std::optional<std::string> Take(std::string_view& bytes);
  bool lost_one() const { return lost_one_; }  // since the beginning

 private:
  const std::size_t line_bytes_max_;
  std::string line_;
  bool skipping_ = false;  // the rest of one that is too long
  bool lost_one_ = false;
};

}  // namespace viv::agent
