#include "tools/desktop_commander/closest_match.h"

#include <gtest/gtest.h>

namespace viv::tools::commander {
namespace {

TEST(ClosestMatchTest, FindsTheMostSimilarPart) {
  auto match = FindClosest("first line\nfunction add(a, b) {\nlast line\n", "function ad(a, b) {");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->found, "function add(a, b) {");
  EXPECT_NEAR(match->similarity, 0.95, 0.01);
}

TEST(ClosestMatchTest, LongTextsTakeSeveralWords) {
  const std::string wanted = std::string(90, 'a') + "X" + std::string(90, 'b');
  const std::string there = std::string(90, 'a') + "YY" + std::string(90, 'b');
  auto match = FindClosest("-----" + there + "+++++", wanted);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->found, there);
  EXPECT_NEAR(match->similarity, 1 - 2.0 / 182, 0.0001);
}

TEST(ClosestMatchTest, CharactersAreNotCutInTwo) {
  auto match = FindClosest("größe: 10", "grösse");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->found.substr(0, 4), "grö");
  EXPECT_EQ(MarkDifference("grün", "grän"), "gr{-ü-}{+ä+}n");
}

TEST(ClosestMatchTest, NothingInCommonIsNoSimilarity) {
  auto match = FindClosest("xyz", "abc");
  ASSERT_TRUE(match);
  EXPECT_LT(match->similarity, 0.01);
  EXPECT_TRUE(FindClosest("", "abc"));
}

TEST(ClosestMatchTest, BrokenBytesAreKept) {
  auto match = FindClosest(
      "ab\xff\xc3"
      "cd\xe2\x82",
      "ab\xff"
      "cd");
  ASSERT_TRUE(match);
  EXPECT_NE(match->found.find('\xff'), std::string::npos);
}

TEST(ClosestMatchTest, GivesUpOnWhatWouldTakeLong) {
  EXPECT_FALSE(FindClosest(std::string(4 << 20, 'a'), std::string(1 << 20, 'b')));
  EXPECT_FALSE(FindClosest("a", ""));
}

TEST(ClosestMatchTest, SimilarityIsByTheLongerText) {
  EXPECT_DOUBLE_EQ(Similarity("kitten", "sitting"), 1 - 3.0 / 7);
  EXPECT_DOUBLE_EQ(Similarity("", ""), 1);
  EXPECT_DOUBLE_EQ(Similarity("", "a"), 0);
}

}  // namespace
}  // namespace viv::tools::commander
