#include "agent/dataplane/etag.h"

#include <gtest/gtest.h>

namespace viv::agent {
namespace {

TEST(EtagTest, IsAnotherOneForAnotherVersion) {
  struct stat first {};
  first.st_ino = 7;
  first.st_size = 10;
  first.st_mtim = {100, 5};
  std::string tag = EtagOf(first);
  EXPECT_TRUE(tag.starts_with('"') && tag.ends_with('"') && tag.size() > 2);
  struct stat other = first;
  other.st_ino = 8;
  EXPECT_NE(EtagOf(other), tag);
  other = first;
  other.st_size = 11;
  EXPECT_NE(EtagOf(other), tag);
  other = first;
  other.st_mtim.tv_nsec = 6;
  EXPECT_NE(EtagOf(other), tag);
  EXPECT_EQ(EtagOf(first), tag);
}

TEST(EtagTest, IsFoundInLists) {
  EXPECT_TRUE(MatchesIfNoneMatch("\"a\"", "\"a\""));
  EXPECT_TRUE(MatchesIfNoneMatch("  \"x,y\" ,\"a\"", "\"a\""));
  EXPECT_TRUE(MatchesIfNoneMatch("W/\"a\"", "\"a\""));
  EXPECT_TRUE(MatchesIfNoneMatch("\"b\", W/\"a\", \"c\"", "\"a\""));
  EXPECT_TRUE(MatchesIfNoneMatch(" * ", "\"a\""));
}

TEST(EtagTest, IsNotFoundWhereItIsNotNamed) {
  EXPECT_FALSE(MatchesIfNoneMatch("", "\"a\""));
  EXPECT_FALSE(MatchesIfNoneMatch("\"b\"", "\"a\""));
  EXPECT_FALSE(MatchesIfNoneMatch("a", "\"a\""));
  EXPECT_FALSE(MatchesIfNoneMatch("\"a", "\"a\""));
  EXPECT_FALSE(MatchesIfNoneMatch("\"b\" \"a\"", "\"a\""));
  EXPECT_FALSE(MatchesIfNoneMatch("\"*\"", "\"a\""));
  EXPECT_FALSE(MatchesIfNoneMatch(",,,", "\"a\""));
}

TEST(EtagTest, AllowsRangesOfTheVersionThatIsKnown) {
  EXPECT_TRUE(MatchesIfRange("", "\"a\"", "then"));
  EXPECT_TRUE(MatchesIfRange("\"a\"", "\"a\"", "then"));
  EXPECT_TRUE(MatchesIfRange("then", "\"a\"", "then"));
  EXPECT_FALSE(MatchesIfRange("W/\"a\"", "\"a\"", "then"));
  EXPECT_FALSE(MatchesIfRange("\"b\"", "\"a\"", "then"));
  EXPECT_FALSE(MatchesIfRange("later", "\"a\"", "then"));
}

}  // namespace
}  // namespace viv::agent
