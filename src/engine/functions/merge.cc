#include "engine/functions/merge.h"

#include <algorithm>
#include <vector>

#include "engine/functions/line_diff.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// For each base line the line of the other text that it is, or kNone; then the other text's size.
std::vector<std::size_t> Matches(const Lines& base, const Lines& other) {
  std::vector<std::size_t> matches(base.size() + 1, kNone);
  std::size_t b = 0;
  std::size_t o = 0;
  for (const Change& change : DiffLines(base, other)) {
    while (b < change.old_begin) matches[b++] = o++;
    b = change.old_end;
    o = change.new_end;
  }
  while (b < base.size()) matches[b++] = o++;
  matches[base.size()] = other.size();
  return matches;
}

struct Range {
  const Lines& lines;
  std::size_t begin;
  std::size_t end;

  bool operator==(const Range& other) const {
    return std::equal(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                      lines.begin() + static_cast<std::ptrdiff_t>(end),
                      other.lines.begin() + static_cast<std::ptrdiff_t>(other.begin),
                      other.lines.begin() + static_cast<std::ptrdiff_t>(other.end));
  }
};

void Append(std::string& out, const Range& range) {
  for (std::size_t i = range.begin; i < range.end; ++i) out += range.lines[i];
}

// The side to take for one stretch between lines that all three share.
const Range* Resolve(const Range& base, const Range& ours, const Range& theirs) {
  if (ours == theirs || theirs == base) return &ours;
  return ours == base ? &theirs : nullptr;
}

}  // namespace

Result<std::optional<std::string>> MergeThree(const MergeInput& input) {
  ASSIGN_OR_RETURN(Lines base, SplitLines(input.base));
  ASSIGN_OR_RETURN(Lines ours, SplitLines(input.ours));
  ASSIGN_OR_RETURN(Lines theirs, SplitLines(input.theirs));
  std::vector<std::size_t> in_ours = Matches(base, ours);
  std::vector<std::size_t> in_theirs = Matches(base, theirs);
  std::string out;
  std::size_t b = 0;
  std::size_t o = 0;
  std::size_t t = 0;
  for (std::size_t shared = 0; shared <= base.size(); ++shared) {
    if (in_ours[shared] == kNone || in_theirs[shared] == kNone) continue;
    Range our_range{ours, o, in_ours[shared]};
    Range their_range{theirs, t, in_theirs[shared]};
    const Range* taken = Resolve({base, b, shared}, our_range, their_range);
    if (taken == nullptr) return std::optional<std::string>();
    Append(out, *taken);
    if (shared < base.size()) out += base[shared];
    b = shared + 1;
    o = in_ours[shared] + 1;
    t = in_theirs[shared] + 1;
  }
  return std::optional<std::string>(std::move(out));
}

}  // namespace viv::engine::functions
