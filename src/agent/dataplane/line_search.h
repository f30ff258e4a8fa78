#pragma once
// Finds the lines of a text that contain a literal, in one pass over any pieces. Content with a
// zero byte is binary and searched no further. Only the beginning of an overlong line is searched,
// and only the beginning of a long line is returned.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace viv::agent {

class LineSearch {
 public:
  struct Match {
    std::uint64_t line = 0;  // from 1
    std::string text;        // valid UTF-8, without the line's end
  };
  // A literal that is not empty and has no line break. It outlives this.
  explicit LineSearch(const std::string& literal) : literal_(literal) {}

  // Adds the matches. False when the content is binary; the caller stops then.
  bool Feed(std::string_view bytes, std::vector<Match>& matches);
  void Finish(std::vector<Match>& matches);  // the last line may have no end

 private:
  void SearchLines(std::string_view lines, std::vector<Match>& matches);

  const std::string& literal_;
  std::string rest_;           // of a line that has not ended
  std::uint64_t line_ = 1;     // of the first byte of rest_
  bool skips_to_end_ = false;  // of an overlong line
};

}  // namespace viv::agent
