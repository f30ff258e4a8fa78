#include "tools/filesystem/line_diff.h"

#include <gtest/gtest.h>

namespace viv::tools::filesystem {
namespace {

const std::string kHead =
    "Index: f\n" + std::string(67, '=') + "\n--- f\toriginal\n+++ f\tmodified\n";

std::string Numbered(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) out += std::to_string(i) + "\n";
  return out;
}

TEST(LineDiffTest, SaysNothingOfEqualTexts) {
  EXPECT_EQ(UnifiedDiff("a\nb", "a\nb", "f"), kHead);
  EXPECT_EQ(UnifiedDiff("", "", "f"), kHead);
}

TEST(LineDiffTest, ShowsFourLinesAroundAChange) {
  EXPECT_EQ(UnifiedDiff(Numbered(1, 12), Numbered(1, 5) + "x\n" + Numbered(7, 12), "f"),
            kHead + "@@ -2,9 +2,9 @@\n 2\n 3\n 4\n 5\n-6\n+x\n 7\n 8\n 9\n 10\n");
}

TEST(LineDiffTest, JoinsHunksWhoseContextsMeet) {
  const std::string gap8 = Numbered(1, 8), gap9 = Numbered(1, 9);
  EXPECT_EQ(UnifiedDiff("a\n" + gap8 + "b\n", "A\n" + gap8 + "B\n", "f"),
            kHead + "@@ -1,10 +1,10 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n 7\n 8\n-b\n+B\n");
  EXPECT_EQ(UnifiedDiff("a\n" + gap9 + "b\n", "A\n" + gap9 + "B\n", "f"),
            kHead +
                "@@ -1,5 +1,5 @@\n-a\n+A\n 1\n 2\n 3\n 4\n"
                "@@ -7,5 +7,5 @@\n 6\n 7\n 8\n 9\n-b\n+B\n");
}

TEST(LineDiffTest, MarksAMissingLastLineFeed) {
  EXPECT_EQ(UnifiedDiff("a", "a\n", "f"),
            kHead + "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(LineDiffTest, CountsEmptyTextsFromZero) {
  EXPECT_EQ(UnifiedDiff("", "a\n", "f"), kHead + "@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(UnifiedDiff("a\n", "", "f"), kHead + "@@ -1,1 +0,0 @@\n-a\n");
}

TEST(LineDiffTest, ThousandsOfChangesBecomeOneReplacement) {
  std::string before = "same\n", after = "same\n";
  for (int i = 0; i < 3000; ++i) {
    before += "old" + std::to_string(i) + "\n";
    after += "new" + std::to_string(i) + "\n";
  }
  const std::string patch = UnifiedDiff(before + "end\n", after + "end\n", "f");
  EXPECT_TRUE(patch.starts_with(kHead + "@@ -1,3002 +1,3002 @@\n same\n-old0\n"));
  EXPECT_TRUE(patch.ends_with("+new2999\n end\n"));
}

}  // namespace
}  // namespace viv::tools::filesystem
