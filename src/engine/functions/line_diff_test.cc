#include "engine/functions/line_diff.h"

#include <gtest/gtest.h>

#include <string>

namespace viv::engine::functions {
namespace {

// The new text made from the old one and the changes, which also proves that the rest is common.
std::string Replay(const Lines& old_lines, const Lines& new_lines) {
  std::string out;
  std::size_t at = 0;
  for (const Change& change : DiffLines(old_lines, new_lines)) {
    for (; at < change.old_begin; ++at) out += old_lines[at];
    for (std::size_t i = change.new_begin; i < change.new_end; ++i) out += new_lines[i];
    at = change.old_end;
  }
  for (; at < old_lines.size(); ++at) out += old_lines[at];
  return out;
}

TEST(LineDiffTest, KeepsLineEndsAndAMissingLastOne) {
  EXPECT_EQ(*SplitLines("a\n\nb"), (Lines{"a\n", "\n", "b"}));
  EXPECT_EQ(*SplitLines("a\n"), (Lines{"a\n"}));
  EXPECT_TRUE(SplitLines("")->empty());
}

TEST(LineDiffTest, RefusesTooManyLines) {
  EXPECT_TRUE(SplitLines(std::string(kDiffLinesMax, '\n')));
  EXPECT_FALSE(SplitLines(std::string(kDiffLinesMax + 1, '\n')));
}

TEST(LineDiffTest, FindsTheFewestChanges) {
  Lines a = {"a", "b", "c", "a", "b", "b", "a"};
  Lines b = {"c", "b", "a", "b", "a", "c"};
  std::size_t edits = 0;
  for (const Change& change : DiffLines(a, b))
    edits += change.old_end - change.old_begin + change.new_end - change.new_begin;
  EXPECT_EQ(edits, 5U);  // Myers' own example
  EXPECT_EQ(Replay(a, b), "cbabac");
}

TEST(LineDiffTest, ReplaysToTheNewText) {
  const Lines texts[] = {
      {}, {"a"}, {"b"}, {"a", "a"}, {"a", "b", "a"}, {"b", "a", "c", "a"}, {"c", "c", "c"}};
  for (const Lines& a : texts) {
    for (const Lines& b : texts) {
      std::string whole;
      for (std::string_view line : b) whole += line;
      EXPECT_EQ(Replay(a, b), whole);
      EXPECT_EQ(DiffLines(a, b).empty(), a == b);
    }
  }
}

TEST(LineDiffTest, TakesTextsThatDifferTooMuchAsReplaced) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 2 * kDiffEditsMax; ++i) texts.push_back(std::to_string(i));
  Lines a = {"first"};
  Lines b = {"first"};
  for (std::size_t i = 0; i < kDiffEditsMax; ++i) {
    a.push_back(texts[i]);
    b.push_back(texts[i + kDiffEditsMax]);
  }
  std::vector<Change> changes = DiffLines(a, b);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].old_begin, 1U);
  EXPECT_EQ(changes[0].old_end, kDiffEditsMax + 1);
}

}  // namespace
}  // namespace viv::engine::functions
