#include "agent/mcp/line_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace viv::agent {
namespace {

std::vector<std::string> SplitAll(LineSplitter& splitter, std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    if (auto line = splitter.Take(bytes)) lines.push_back(*std::move(line));
  }
  return lines;
}

TEST(LineSplitterTest, JoinsPiecesAndDropsLineEnds) {
  LineSplitter splitter(10);
  EXPECT_EQ(SplitAll(splitter, "ab"), std::vector<std::string>{});
  EXPECT_EQ(SplitAll(splitter, "c\nd\r\n\ne"), (std::vector<std::string>{"abc", "d", ""}));
  EXPECT_EQ(SplitAll(splitter, "\n"), std::vector<std::string>{"e"});
  EXPECT_FALSE(splitter.lost_one());
}

TEST(LineSplitterTest, LosesOnlyTheLineThatIsTooLong) {
  LineSplitter splitter(4);
  EXPECT_EQ(SplitAll(splitter, "1234\n12345\n12"), std::vector<std::string>{"1234"});
  EXPECT_TRUE(splitter.lost_one());
  EXPECT_EQ(SplitAll(splitter, "345\nok\n"), std::vector<std::string>{"ok"});
}

}  // namespace
}  // namespace viv::agent
