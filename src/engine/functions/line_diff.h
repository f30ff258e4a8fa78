#pragma once
// The difference of two texts by lines, after Myers' O(ND) algorithm: the shortest list of changes.
// Texts that differ too much to look for it are taken as wholly replaced, between what they share
// at begin and end.

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::engine::functions {

constexpr std::size_t kDiffLinesMax = 200'000;
constexpr std::size_t kDiffEditsMax = 1'000;  // of the search; its memory grows with the square

using Lines = std::vector<std::string_view>;  // each with its "\n", which the last may lack

// Lines [old_begin, old_end) become [new_begin, new_end); one of the two may be empty.
struct Change {
  std::size_t old_begin;
  std::size_t old_end;
  std::size_t new_begin;
  std::size_t new_end;
};

Result<Lines> SplitLines(std::string_view text);

// In order; between two changes there is at least one common line.
std::vector<Change> DiffLines(const Lines& old_lines, const Lines& new_lines);

}  // namespace viv::engine::functions
