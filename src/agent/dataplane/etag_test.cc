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
  EXPECT_TRUE(NamesEtag("\"a\"", "\"a\""));
  EXPECT_TRUE(NamesEtag("  \"x,y\" ,\"a\"", "\"a\""));
  EXPECT_TRUE(NamesEtag("W/\"a\"", "\"a\""));
  EXPECT_TRUE(NamesEtag("\"b\", W/\"a\", \"c\"", "\"a\""));
  EXPECT_TRUE(NamesEtag(" * ", "\"a\""));
}

TEST(EtagTest, IsNotFoundWhereItIsNotNamed) {
  EXPECT_FALSE(NamesEtag("", "\"a\""));
  EXPECT_FALSE(NamesEtag("\"b\"", "\"a\""));
  EXPECT_FALSE(NamesEtag("a", "\"a\""));
  EXPECT_FALSE(NamesEtag("\"a", "\"a\""));
  EXPECT_FALSE(NamesEtag("\"b\" \"a\"", "\"a\""));
  EXPECT_FALSE(NamesEtag("\"*\"", "\"a\""));
  EXPECT_FALSE(NamesEtag(",,,", "\"a\""));
}

TEST(EtagTest, AllowsRangesOfTheVersionThatIsKnown) {
  EXPECT_TRUE(KnowsVersion("", "\"a\"", "then"));
  EXPECT_TRUE(KnowsVersion("\"a\"", "\"a\"", "then"));
  EXPECT_TRUE(KnowsVersion("then", "\"a\"", "then"));
  EXPECT_FALSE(KnowsVersion("W/\"a\"", "\"a\"", "then"));
  EXPECT_FALSE(KnowsVersion("\"b\"", "\"a\"", "then"));
  EXPECT_FALSE(KnowsVersion("later", "\"a\"", "then"));
}

}  // namespace
}  // namespace viv::agent
