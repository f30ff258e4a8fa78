#include "agent/mcp/line_splitter.h"

#include <algorithm>
#include <utility>

namespace viv::agent {

std::optional<std::string> LineSplitter::Take(std::string_view& bytes) {
  std::size_t end = bytes.find('\n');
  std::string_view part = bytes.substr(0, end);
  bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  if (!skipping_ && part.size() > line_bytes_max_ - line_.size()) {
    skipping_ = lost_one_ = true;
    line_ = std::string();
  }
  if (!skipping_) line_ += part;
  if (end == std::string_view::npos) return std::nullopt;
  bool lost = std::exchange(skipping_, false);
  std::string line = std::exchange(line_, {});
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return lost ? std::nullopt : std::optional(std::move(line));
}

}  // namespace viv::agent
