#include "agent/dataplane/line_search.h"

#include <string.h>

#include <algorithm>

#include "agent/files/paths.h"

namespace viv::agent {
namespace {

constexpr std::size_t kSearchedLineBytesMax = 1024 * 1024;
constexpr std::size_t kToldLineBytesMax = 2000;
constexpr std::size_t kNotFound = std::string_view::npos;

// std::string_view::find takes the product of both lengths for some texts, memmem their sum.
std::size_t FindLiteral(std::string_view text, std::string_view literal, std::size_t from) {
  const void* found =
      ::memmem(text.data() + from, text.size() - from, literal.data(), literal.size());
  return found == nullptr ? kNotFound
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// The beginning of a line, not cut within a character.
std::string ToldLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > kToldLineBytesMax) {
    std::size_t end = kToldLineBytesMax;
    while (end > kToldLineBytesMax - 4 && (line[end] & 0xC0) == 0x80) --end;
    line = line.substr(0, end);
  }
  return ValidUtf8(line);
}

}  // namespace

void LineSearch::SearchLines(std::string_view lines, std::vector<Match>& matches) {
  std::size_t counted = 0;  // lines that end before it are in line_
  for (std::size_t from = 0; from < lines.size();) {
    std::size_t hit = FindLiteral(lines, literal_, from);
    if (hit == kNotFound) break;
    std::size_t before = hit == 0 ? kNotFound : lines.rfind('\n', hit - 1);
    std::size_t begin = before == kNotFound ? 0 : before + 1;
    std::size_t end = std::min(lines.find('\n', hit), lines.size());
    line_ += std::count(lines.begin() + counted, lines.begin() + begin, '\n');
    matches.push_back({line_, ToldLine(lines.substr(begin, end - begin))});
    counted = begin;
    from = end + 1;
  }
  line_ += std::count(lines.begin() + counted, lines.end(), '\n');
}

bool LineSearch::Feed(std::string_view bytes, std::vector<Match>& matches) {
  if (bytes.find('\0') != kNotFound) return false;
  if (skips_to_end_) {
    std::size_t end = bytes.find('\n');
    if (end == kNotFound) return true;
    bytes.remove_prefix(end + 1);
    ++line_;
    skips_to_end_ = false;
  }
  rest_ += bytes;
  std::size_t last = rest_.rfind('\n');
  if (last != kNotFound) {
    SearchLines(std::string_view(rest_).substr(0, last + 1), matches);
    rest_.erase(0, last + 1);
  }
  if (rest_.size() > kSearchedLineBytesMax) {
    SearchLines(rest_, matches);
    rest_.clear();
    skips_to_end_ = true;
  }
  return true;
}

void LineSearch::Finish(std::vector<Match>& matches) {
  SearchLines(rest_, matches);
  rest_.clear();
}

}  // namespace viv::agent
