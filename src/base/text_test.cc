#include "base/text.h"

#include <gtest/gtest.h>

namespace viv {
namespace {

TEST(TextTest, PercentDecodeRefusesBrokenEscapes) {
  EXPECT_EQ(PercentDecode("a%20b%2Fc"), "a b/c");
  EXPECT_EQ(PercentDecode("%2"), std::nullopt);
  EXPECT_EQ(PercentDecode("%zz"), std::nullopt);
}

TEST(TextTest, Utf8RefusesOverlongSurrogateAndCutOff) {
  EXPECT_TRUE(IsValidUtf8("héllo €😀"));
  EXPECT_FALSE(IsValidUtf8("\xc0\xaf"));
  EXPECT_FALSE(IsValidUtf8("\xed\xa0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xe2\x82"));
  EXPECT_TRUE(IsValidUtf8("sixteen bytes of plain text, and then € and more of it"));
  EXPECT_FALSE(IsValidUtf8("sixteen bytes of plain text, and then \xff and more of it"));
  EXPECT_FALSE(IsValidUtf8("eight by\x80"));
}

TEST(TextTest, GlobMatchesAnyRun) {
  EXPECT_TRUE(MatchesGlob("slack_*", "slack_post"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("a*b*c", "axxbyybzc"));
  EXPECT_FALSE(MatchesGlob("slack_*", "jira_get"));
}

TEST(TextTest, SplitsAndTrims) {
  EXPECT_EQ(Split("a,,b", ',').size(), 3U);
  EXPECT_EQ(Trim("  x \n"), "x");
  EXPECT_TRUE(EqualsIgnoreCase("Cal.COM", "cal.com"));
}

}  // namespace
}  // namespace viv
