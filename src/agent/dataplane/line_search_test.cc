#include "agent/dataplane/line_search.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace viv::agent {
namespace {

// "2:the line" for each match, with the text fed in pieces of a size.
std::vector<std::string> LinesWith(const std::string& literal,
                                   std::string_view text,
                                   std::size_t step) {
  LineSearch search(literal);
  std::vector<LineSearch::Match> matches;
  bool goes_on = true;
  while (!text.empty() && goes_on) {
    goes_on = search.Feed(text.substr(0, step), matches);
    text.remove_prefix(std::min(step, text.size()));
  }
  if (goes_on) search.Finish(matches);
  std::vector<std::string> lines;
  for (const auto& match : matches) lines.push_back(std::to_string(match.line) + ":" + match.text);
  return lines;
}

TEST(LineSearchTest, TellsLinesWithTheirNumbersHoweverTheyCome) {
  std::string text = "one x\ntwo\r\nthree x x\r\n\n\nx";
  std::vector<std::string> wanted{"1:one x", "3:three x x", "6:x"};
  for (std::size_t step : {1U, 2U, 7U, 100U}) EXPECT_EQ(LinesWith("x", text, step), wanted) << step;
}

TEST(LineSearchTest, IsLiteral) {
  EXPECT_EQ(LinesWith(".*", "abc\na.*c\n", 100), std::vector<std::string>{"2:a.*c"});
  EXPECT_TRUE(LinesWith("ABC", "abc\n", 100).empty());
}

TEST(LineSearchTest, StopsAtBinaryContent) {
  std::string text("x\n\0x\n", 5);
  EXPECT_TRUE(LinesWith("x", text, 100).empty());
  EXPECT_EQ(LinesWith("x", text, 2), std::vector<std::string>{"1:x"});
}

TEST(LineSearchTest, CutsLongLinesBetweenCharacters) {
  std::string line = "x";
  for (int i = 0; i < 2000; ++i) line += "ü";
  std::vector<std::string> found = LinesWith("x", line + "\n", 5000);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LE(found[0].size(), 2002U);
  EXPECT_GE(found[0].size(), 1990U);
  EXPECT_TRUE(found[0].ends_with("ü"));
}

TEST(LineSearchTest, ReplacesWhatIsNoUtf8) {
  std::vector<std::string> found = LinesWith("x", "x\xFF\n", 100);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(IsValidUtf8(found[0]));
}

TEST(LineSearchTest, LooksAtTheBeginningOfAnOverlongLine) {
  std::string text = "first x\nx" + std::string(3'000'000, 'a') + "y\nlast xy\n";
  EXPECT_EQ(LinesWith("y", text, 65536), std::vector<std::string>{"3:last xy"});
  EXPECT_EQ(LinesWith("x", text, 65536).size(), 3U);
}

}  // namespace
}  // namespace viv::agent
