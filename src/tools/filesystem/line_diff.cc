#include "tools/filesystem/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace viv::tools::filesystem {
namespace {

constexpr int kContextLines = 4;
constexpr int kEditsMax = 2000;

using Lines = std::vector<std::string_view>;  // with their line feeds

enum class Step : std::uint8_t { kKeep, kRemove, kAdd };

Lines LinesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::size_t length = feed == text.npos ? text.size() : feed + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

// Equal lines get equal numbers, so that comparing them costs nothing.
class LineNumbers {
 public:
  std::vector<int> Of(const Lines& lines) {
    std::vector<int> numbers;
    numbers.reserve(lines.size());
    for (std::string_view line : lines)
      numbers.push_back(known_.emplace(line, static_cast<int>(known_.size())).first->second);
    return numbers;
  }

 private:
  std::unordered_map<std::string_view, int> known_;
};

// Myers' greedy search. For a number of edits, reach_ holds by diagonal (old minus new position)
// the furthest old position; each round is kept, to find the way back from the end.
class ShortestEdits {
 public:
  ShortestEdits(const std::vector<int>& before, const std::vector<int>& after)
      : before_(before), after_(after) {}

  // Empty when more than kEditsMax edits would be needed.
  std::vector<Step> Find() {
    for (int edits = 0; edits <= kEditsMax; ++edits)
      if (Round(edits)) return WayBack(edits);
    return {};
  }

 private:
  int Old() const { return static_cast<int>(before_.size()); }
  int New() const { return static_cast<int>(after_.size()); }

  static int At(const std::vector<int>& round, int edits, int diagonal) {
    return diagonal < -edits || diagonal > edits
               ? -1
               : round[static_cast<std::size_t>(diagonal + edits)];
  }

  struct Choice {
    bool possible = false, adds = false;
    int old_position = 0;
  };

  // How `diagonal` is reached from the round before: by adding a line, or by removing one.
  Choice Choose(int edits, int diagonal) const {
    if (edits == 0) return {true, false, 0};
    const std::vector<int>& last = rounds_[static_cast<std::size_t>(edits - 1)];
    const int add = At(last, edits - 1, diagonal + 1), remove = At(last, edits - 1, diagonal - 1);
    const bool can_add = add >= 0 && add - diagonal <= New();
    const bool can_remove = remove >= 0 && remove < Old();
    if (!can_add && !can_remove) return {};
    if (!can_remove || (can_add && remove < add)) return {true, true, add};
    return {true, false, remove + 1};
  }

  bool Round(int edits) {
    std::vector<int>& reach = rounds_.emplace_back(static_cast<std::size_t>(2 * edits + 1), -1);
    for (int diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const Choice choice = Choose(edits, diagonal);
      if (!choice.possible) continue;
      int old_position = choice.old_position, new_position = old_position - diagonal;
      while (old_position < Old() && new_position < New() &&
             before_[static_cast<std::size_t>(old_position)] ==
                 after_[static_cast<std::size_t>(new_position)]) {
        ++old_position;
        ++new_position;
      }
      reach[static_cast<std::size_t>(diagonal + edits)] = old_position;
      if (old_position == Old() && new_position == New()) return true;
    }
    return false;
  }

  std::vector<Step> WayBack(int edits) const {
    std::vector<Step> steps;
    int old_position = Old(), diagonal = Old() - New();
    for (; edits >= 0; --edits) {
      const Choice choice = Choose(edits, diagonal);
      for (; old_position > choice.old_position; --old_position) steps.push_back(Step::kKeep);
      if (edits == 0) break;
      steps.push_back(choice.adds ? Step::kAdd : Step::kRemove);
      old_position -= choice.adds ? 0 : 1;
      diagonal += choice.adds ? 1 : -1;
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  const std::vector<int>& before_;
  const std::vector<int>& after_;
  std::vector<std::vector<int>> rounds_;
};

std::vector<Step> OneReplacement(const std::vector<int>& before, const std::vector<int>& after) {
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (head < shorter && before[head] == after[head]) ++head;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  std::vector<Step> steps(head, Step::kKeep);
  steps.insert(steps.end(), before.size() - head - tail, Step::kRemove);
  steps.insert(steps.end(), after.size() - head - tail, Step::kAdd);
  steps.insert(steps.end(), tail, Step::kKeep);
  return steps;
}

class PatchWriter {
 public:
  PatchWriter(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  std::string Write(const std::vector<Step>& steps) {
    std::size_t begin = 0;
    while ((begin = NextChange(steps, begin)) < steps.size()) {
      // A hunk goes on over unchanged lines that two contexts would cover.
      std::size_t end = begin;
      for (std::size_t next = begin; next < steps.size() && next - end <= 2 * kContextLines;
           next = NextChange(steps, end)) {
        end = next;
        while (end < steps.size() && steps[end] != Step::kKeep) ++end;
      }
      const std::size_t first = begin - std::min<std::size_t>(begin, kContextLines);
      const std::size_t last = std::min(steps.size(), end + kContextLines);
      Skip(steps, std::max(first, done_));
      Hunk(steps, std::max(first, done_), last);
      begin = end;
    }
    return std::move(out_);
  }

 private:
  static std::size_t NextChange(const std::vector<Step>& steps, std::size_t from) {
    while (from < steps.size() && steps[from] == Step::kKeep) ++from;
    return from;
  }

  void Skip(const std::vector<Step>& steps, std::size_t until) {
    for (; done_ < until; ++done_) {
      old_ += steps[done_] != Step::kAdd ? 1 : 0;
      new_ += steps[done_] != Step::kRemove ? 1 : 0;
    }
  }

  void Hunk(const std::vector<Step>& steps, std::size_t first, std::size_t last) {
    std::size_t old_count = 0, new_count = 0;
    for (std::size_t i = first; i < last; ++i) {
      old_count += steps[i] != Step::kAdd ? 1 : 0;
      new_count += steps[i] != Step::kRemove ? 1 : 0;
    }
    // An empty range is said to begin after the line before it.
    out_ += "@@ -" + std::to_string(old_ + (old_count > 0 ? 1 : 0)) + "," +
            std::to_string(old_count) + " +" + std::to_string(new_ + (new_count > 0 ? 1 : 0)) +
            "," + std::to_string(new_count) + " @@\n";
    for (; done_ < last; ++done_) {
      const Step step = steps[done_];
      const std::string_view line = step == Step::kAdd ? after_[new_] : before_[old_];
      out_ += step == Step::kAdd ? '+' : step == Step::kRemove ? '-' : ' ';
      out_ += line;
      if (!line.ends_with('\n')) out_ += "\n\\ No newline at end of file\n";
      old_ += step != Step::kAdd ? 1 : 0;
      new_ += step != Step::kRemove ? 1 : 0;
    }
  }

  const Lines& before_;
  const Lines& after_;
  std::size_t old_ = 0, new_ = 0, done_ = 0;  // lines and steps already passed
  std::string out_;
};

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view name) {
  const Lines old_lines = LinesOf(before), new_lines = LinesOf(after);
  LineNumbers numbers;
  const std::vector<int> old_numbers = numbers.Of(old_lines), new_numbers = numbers.Of(new_lines);
  const std::string file(name);
  std::string patch = "Index: " + file + "\n" + std::string(67, '=') + "\n--- " + file +
                      "\toriginal\n+++ " + file + "\tmodified\n";
  if (old_numbers == new_numbers) return patch;
  std::vector<Step> steps = ShortestEdits(old_numbers, new_numbers).Find();
  if (steps.empty()) steps = OneReplacement(old_numbers, new_numbers);
  return patch + PatchWriter(old_lines, new_lines).Write(steps);
}

}  // namespace viv::tools::filesystem
