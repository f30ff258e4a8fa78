#include "tools/archive/member_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MemberNameTest, TakesAwayWhatMeansNothing) {
  EXPECT_THAT(*SplitMemberName("./a//b/./c/"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*SplitMemberName("."), IsEmpty());
  EXPECT_THAT(*SplitMemberName("./"), IsEmpty());
  EXPECT_THAT(*SplitMemberName("..a/b.."), ElementsAre("..a", "b.."));
}

TEST(MemberNameTest, RefusesWhatLeadsOutOrIsNoName) {
  for (const std::string& name :
       {std::string("/etc/passwd"), std::string("../x"), std::string("a/../../x"),
        std::string(".."), std::string(), std::string("a\0b", 3), std::string(5000, 'a'),
        std::string(256, 'a')}) {
    EXPECT_FALSE(SplitMemberName(name)) << name;
  }
  std::string deep;
  for (int i = 0; i < 201; ++i) deep += "d/";
  EXPECT_FALSE(SplitMemberName(deep));
}

TEST(MemberNameTest, SaysWhichNameIsWrongWithoutItsControlCharacters) {
  EXPECT_EQ(SplitMemberName("/a\x1b[31m").error().message.substr(0, 28),
            "'/a?[31m' in the archive is ");
}

TEST(MemberNameTest, FollowsLinksByTheirSpelling) {
  EXPECT_TRUE(LinkStaysBelow("a", 0));
  EXPECT_TRUE(LinkStaysBelow("../a", 1));
  EXPECT_TRUE(LinkStaysBelow("a/b/../../c", 0));
  EXPECT_FALSE(LinkStaysBelow("../a", 0));
  EXPECT_FALSE(LinkStaysBelow("a/../../b", 0));
  EXPECT_FALSE(LinkStaysBelow("/data/a", 3));
  EXPECT_FALSE(LinkStaysBelow("", 3));
}

}  // namespace
}  // namespace viv::tools
