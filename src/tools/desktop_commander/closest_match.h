#pragma once
// Finds the part of a text that is most like a given one, by edit distance: what an agent meant
// when its old_string is not in the file.

#include <optional>
#include <string>
#include <string_view>

namespace viv::tools::commander {

struct ClosestMatch {
  std::string found;
  double similarity = 0;  // 1: the same, 0: nothing in common
};

// Nothing when the texts are too large to be compared within a second or so.
std::optional<ClosestMatch> FindClosest(std::string_view text, std::string_view wanted);

// Between two texts, of which the longer has similarity 1 - distance / length.
double Similarity(std::string_view a, std::string_view b);

// What they share at both ends, and between braces where they differ: "ab{-x-}{+y+}cd".
std::string MarkDifference(std::string_view wanted, std::string_view found);

}  // namespace viv::tools::commander
