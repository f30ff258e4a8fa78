#include "engine/functions/line_diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "engine/functions/function.h"

namespace viv::engine::functions {
namespace {

using Ids = std::vector<int>;  // a number per line: equal lines, equal numbers

// Ordered, not hashed: whoever writes the texts could write lines that all hash alike.
Ids NumberLines(const Lines& lines, std::map<std::string_view, int>& numbers) {
  Ids ids;
  ids.reserve(lines.size());
  for (std::string_view line : lines) {
    ids.push_back(numbers.emplace(line, static_cast<int>(numbers.size())).first->second);
  }
  return ids;
}

// One step of the shortest path: a line deleted from the old text or inserted from the new one.
struct Edit {
  int x;  // old line
  int y;  // new line
  bool insertion;
};

// Finds the shortest path through the grid of old by new lines. reach_[k] is how far down the old
// lines a path with so many edits gets on diagonal k = x - y; all rounds are kept to walk back.
class Search {
 public:
  Search(const int* a, int a_size, const int* b, int b_size)
      : a_(a), b_(b), a_size_(a_size), b_size_(b_size) {}

  // From the last edit to the first; nothing when there are too many.
  std::optional<std::vector<Edit>> Run() {
    int max = std::min(a_size_ + b_size_, static_cast<int>(kDiffEditsMax));
    for (int edits = 0; edits <= max; ++edits) {
      if (Round(edits)) return WalkBack(edits);
    }
    return std::nullopt;
  }

 private:
  // The furthest x on diagonal k after `edits` edits; a round has the diagonals -edits to edits.
  int Reach(int edits, int k) const {
    if (k < -edits || k > edits) return -1;
    return rounds_[static_cast<std::size_t>(edits)][static_cast<std::size_t>((k + edits) / 2)];
  }

  bool ComesByInsertion(int edits, int k) const {
    return k == -edits || (k != edits && Reach(edits - 1, k - 1) < Reach(edits - 1, k + 1));
  }

  bool Round(int edits) {
    rounds_.emplace_back(static_cast<std::size_t>(edits) + 1);
    for (int k = -edits; k <= edits; k += 2) {
      int x = 0;
      if (edits > 0)
        x = ComesByInsertion(edits, k) ? Reach(edits - 1, k + 1) : Reach(edits - 1, k - 1) + 1;
      while (x < a_size_ && x - k >= 0 && x - k < b_size_ && a_[x] == b_[x - k]) ++x;
      rounds_.back()[static_cast<std::size_t>((k + edits) / 2)] = x;
      if (x >= a_size_ && x - k >= b_size_) return true;
    }
    return false;
  }

  std::vector<Edit> WalkBack(int edits) const {
    std::vector<Edit> path;
    int k = a_size_ - b_size_;
    for (; edits > 0; --edits) {
      bool insertion = ComesByInsertion(edits, k);
      k += insertion ? 1 : -1;
      int x = Reach(edits - 1, k);
      path.push_back({x, x - k, insertion});
    }
    return path;
  }

  const int* a_;
  const int* b_;
  int a_size_;
  int b_size_;
  std::vector<std::vector<int>> rounds_;
};

// Neighbouring edits as one change.
std::vector<Change> Joined(const std::vector<Edit>& path, std::size_t offset) {
  std::vector<Change> changes;
  for (auto edit = path.rbegin(); edit != path.rend(); ++edit) {
    std::size_t x = offset + static_cast<std::size_t>(edit->x);
    std::size_t y = offset + static_cast<std::size_t>(edit->y);
    if (changes.empty() || changes.back().old_end != x || changes.back().new_end != y) {
      changes.push_back({x, x, y, y});
    }
    ++(edit->insertion ? changes.back().new_end : changes.back().old_end);
  }
  return changes;
}

}  // namespace

Result<Lines> SplitLines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    if (lines.size() == kDiffLinesMax) {
      return Fail(ErrorCode::kLimitExceeded,
                  "more than " + std::to_string(kDiffLinesMax) + " lines");
    }
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

std::vector<Change> DiffLines(const Lines& old_lines, const Lines& new_lines) {
  std::map<std::string_view, int> numbers;
  Ids a = NumberLines(old_lines, numbers);
  Ids b = NumberLines(new_lines, numbers);
  std::size_t shorter = std::min(a.size(), b.size());
  std::size_t prefix = 0;
  while (prefix < shorter && a[prefix] == b[prefix]) ++prefix;
  std::size_t suffix = 0;
  while (suffix < shorter - prefix && a[a.size() - 1 - suffix] == b[b.size() - 1 - suffix])
    ++suffix;
  std::size_t a_size = a.size() - prefix - suffix;
  std::size_t b_size = b.size() - prefix - suffix;
  if (a_size == 0 && b_size == 0) return {};
  Search search(a.data() + prefix, static_cast<int>(a_size), b.data() + prefix,
                static_cast<int>(b_size));
  if (std::optional<std::vector<Edit>> path = search.Run()) return Joined(*path, prefix);
  return {{prefix, prefix + a_size, prefix, prefix + b_size}};
}

}  // namespace viv::engine::functions
