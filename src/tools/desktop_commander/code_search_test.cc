#include "tools/desktop_commander/code_search.h"

#include <gmock/gmock.h>

#include "tools/kit/unicode_pattern.h"

namespace viv::tools::commander {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Found(std::string_view pattern,
                               std::string_view text,
                               CodeSearch search = {}) {
  search.pattern = CompilePattern(pattern, LetterCase::kIgnored).value();
  CodeMatches matches;
  SearchText(search, "f", text, matches);
  std::vector<std::string> lines;
  for (const CodeMatch& match : matches.found)
    lines.push_back(std::to_string(match.line) + ":" + match.text);
  return lines;
}

TEST(CodeSearchTest, EveryMatchInALineCounts) {
  EXPECT_THAT(Found("ab?", "xabxa\nnone\nA\n"), ElementsAre("1:ab", "1:a", "3:A"));
}

TEST(CodeSearchTest, MatchesStayWithinALine) {
  EXPECT_THAT(Found("a\\s+b", "a\nb\na b\n"), ElementsAre("3:a b"));
  EXPECT_THAT(Found("^b$", "ab\nb\n"), ElementsAre("2:b"));
}

TEST(CodeSearchTest, ContextIsShownOnce) {
  CodeSearch search;
  search.context_lines = 1;
  EXPECT_THAT(Found("x", "  1\nx\n3\nx\n5\n6\n7\nx", search),
              ElementsAre("1:1", "2:x", "3:3", "4:x", "5:5", "7:7", "8:x"));
}

TEST(CodeSearchTest, AFileGivesSoManyLinesAtMost) {
  CodeSearch search;
  search.lines_per_file_max = 2;
  EXPECT_THAT(Found("x", "x\nx\nx\nx\n", search), ElementsAre("1:x", "2:x"));
}

TEST(CodeSearchTest, BinaryTextHasNoMatches) {
  EXPECT_THAT(Found("x", std::string_view("x\0x", 3)), ElementsAre());
}

TEST(CodeSearchTest, EmptyMatchesEnd) {
  EXPECT_THAT(Found("a*", "ba"), ElementsAre("1:", "1:a", "1:"));
}

TEST(CodeSearchTest, AFloodOfMatchesIsCounted) {
  CodeSearch search;
  search.lines_per_file_max = 5000;
  search.pattern = CompilePattern("x", LetterCase::kMatters).value();
  CodeMatches matches;
  std::string text;
  for (int i = 0; i < 400; ++i) text += std::string(1000, 'x') + "\n";
  SearchText(search, "f", text, matches);
  EXPECT_GT(matches.not_kept, 200'000u);
  EXPECT_LT(matches.found.size(), 200'000u);
}

}  // namespace
}  // namespace viv::tools::commander
