#include "base/archive_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ArchivePathTest, TakesRelativeNamesApart) {
  EXPECT_THAT(*SplitArchivePath("usr/bin/env"), ElementsAre("usr", "bin", "env"));
  EXPECT_THAT(*SplitArchivePath("./usr//bin/"), ElementsAre("usr", "bin"));
  EXPECT_THAT(*SplitArchivePath("a..b/..c"), ElementsAre("a..b", "..c"));
  EXPECT_THAT(*SplitArchivePath("./"), IsEmpty());
  EXPECT_THAT(*SplitArchivePath("."), IsEmpty());
}

TEST(ArchivePathTest, RefusesNamesThatLeave) {
  for (const char* name : {"", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "./../x", "//x"}) {
    const auto parts = SplitArchivePath(name);
    ASSERT_FALSE(parts) << name;
    EXPECT_EQ(parts.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ArchivePathTest, RefusesNamesThatAreTooLongOrTooDeep) {
  EXPECT_TRUE(SplitArchivePath(std::string(255, 'a')));
  EXPECT_FALSE(SplitArchivePath(std::string(256, 'a')));
  std::string deep;
  for (std::size_t i = 0; i <= kArchiveDepthMax; ++i) deep += "a/";
  EXPECT_FALSE(SplitArchivePath(deep));
  EXPECT_FALSE(SplitArchivePath(std::string("a\0b", 3)));
}

TEST(ArchivePathTest, ShowsNoControlCharactersOfABadName) {
  EXPECT_EQ(SplitArchivePath("/a\x1b[31m\n").error().message.find('\x1b'), std::string::npos);
}

TEST(ArchiveLinkTest, TellsLinksThatStayFromThoseThatLeave) {
  EXPECT_TRUE(LinkStaysInside("/usr/bin/x", 0));
  EXPECT_TRUE(LinkStaysInside("usr/lib", 0));
  EXPECT_TRUE(LinkStaysInside("../x", 1));
  EXPECT_TRUE(LinkStaysInside("a/../b", 0));
  EXPECT_FALSE(LinkStaysInside("../x", 0));
  EXPECT_FALSE(LinkStaysInside("../../x", 1));
  EXPECT_FALSE(LinkStaysInside("a/../../b", 0));
  EXPECT_FALSE(LinkStaysInside("/..", 5));
  EXPECT_FALSE(LinkStaysInside("", 1));
}

}  // namespace
}  // namespace viv
