#include "base/archive_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = ArchiveMember::Kind;

constexpr ArchiveUse kUses[] = {ArchiveUse::kRootFileSystem, ArchiveUse::kFolder};

// The reason of a refusal; empty for a member that may be unpacked.
std::string WhyRefused(const ArchiveMember& member, ArchiveUse use) {
  const auto checked = CheckArchiveMember(member, use);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  return checked.error().message;
}

TEST(ArchivePathTest, TakesRelativeNamesApart) {
  EXPECT_THAT(*SplitArchivePath("usr/bin/env"), ElementsAre("usr", "bin", "env"));
  EXPECT_THAT(*SplitArchivePath("./a//b/./c/"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*SplitArchivePath("..a/b../a..b"), ElementsAre("..a", "b..", "a..b"));
  EXPECT_THAT(*SplitArchivePath("..."), ElementsAre("..."));
  EXPECT_THAT(*SplitArchivePath("./"), IsEmpty());
  EXPECT_THAT(*SplitArchivePath("."), IsEmpty());
  EXPECT_THAT(*SplitArchivePath(".//."), IsEmpty());
}

TEST(ArchivePathTest, KnowsNoSeparatorButTheSlash) {
  EXPECT_THAT(*SplitArchivePath("..\\x"), ElementsAre("..\\x"));
  EXPECT_THAT(*SplitArchivePath("c:\\x"), ElementsAre("c:\\x"));
  EXPECT_THAT(*SplitArchivePath("%2e%2e/x"), ElementsAre("%2e%2e", "x"));
  EXPECT_THAT(*SplitArchivePath(" .. /x"), ElementsAre(" .. ", "x"));
}

TEST(ArchivePathTest, RefusesNamesThatLeadOut) {
  for (const char* name : {"..", "../x", "a/..", "a/../../x", "./../x", "a/../b", "../", "a//..//b",
                           "/", "/etc/passwd", "//x", "/../x"}) {
    for (const Kind kind : {Kind::kFile, Kind::kFolder, Kind::kSymbolicLink, Kind::kHardLink}) {
      for (const ArchiveUse use : kUses)
        EXPECT_NE(WhyRefused({.name = name, .kind = kind, .target = "a"}, use), "") << name;
    }
  }
  EXPECT_THAT(SplitArchivePath("/x").error().message, HasSubstr("absolute"));
  EXPECT_THAT(SplitArchivePath("a/../x").error().message, HasSubstr("leads out"));
}

TEST(ArchivePathTest, RefusesNamesThatNoFileSystemTakes) {
  EXPECT_FALSE(SplitArchivePath(""));
  EXPECT_FALSE(SplitArchivePath(std::string("a\0b", 3)));
  EXPECT_FALSE(SplitArchivePath(std::string("\0", 1)));
  EXPECT_TRUE(SplitArchivePath(std::string(255, 'a')));
  EXPECT_FALSE(SplitArchivePath(std::string(256, 'a')));
  std::string deep, longest;
  for (std::size_t i = 0; i < kArchiveDepthMax; ++i) deep += "a/";
  EXPECT_TRUE(SplitArchivePath(deep));
  EXPECT_FALSE(SplitArchivePath(deep + "a"));
  while (longest.size() < 4000) longest += std::string(99, 'a') + "/";
  longest.resize(kArchivePathMax, 'b');
  EXPECT_TRUE(SplitArchivePath(longest));
  EXPECT_FALSE(SplitArchivePath(longest + "b"));
}

TEST(ArchivePathTest, ShowsABadNameWithoutControlCharacters) {
  EXPECT_EQ(SplitArchivePath("/a\x1b[31m").error().message.substr(0, 28),
            "'/a?[31m' in the archive is ");
  EXPECT_LT(SplitArchivePath(std::string(5000, 'a')).error().message.size(), 200u);
  EXPECT_EQ(PrintableArchiveName("a\nb\x7f\xff"), "a?b??");
}

TEST(ArchivePathTest, JoinsWhatItTookApart) {
  EXPECT_EQ(JoinArchivePath(*SplitArchivePath("./a//b/")), "a/b");
  EXPECT_EQ(JoinArchivePath({}), "");
}

TEST(ArchiveLinkTest, TellsRelativeLinksThatStayFromThoseThatLeave) {
  for (const ArchiveUse use : kUses) {
    EXPECT_TRUE(LinkStaysInside("usr/lib", 0, use));
    EXPECT_TRUE(LinkStaysInside("../x", 1, use));
    EXPECT_TRUE(LinkStaysInside("a/b/../../c", 0, use));
    EXPECT_TRUE(LinkStaysInside(".", 0, use));
    EXPECT_TRUE(LinkStaysInside("..", 1, use));
    EXPECT_FALSE(LinkStaysInside("..", 0, use));
    EXPECT_FALSE(LinkStaysInside("../x", 0, use));
    EXPECT_FALSE(LinkStaysInside("../../x", 1, use));
    EXPECT_FALSE(LinkStaysInside("a/../../b", 0, use));
    EXPECT_FALSE(LinkStaysInside(".//..", 0, use));
    EXPECT_FALSE(LinkStaysInside("", 3, use));
    EXPECT_FALSE(LinkStaysInside(std::string("a\0/../../..", 11), 3, use));
    EXPECT_TRUE(LinkStaysInside(std::string(kArchivePathMax, 'a'), 0, use));
    EXPECT_FALSE(LinkStaysInside(std::string(kArchivePathMax + 1, 'a'), 0, use));
  }
}

TEST(ArchiveLinkTest, FollowsAbsoluteLinksOnlyWhereTheArchiveIsTheRoot) {
  for (const char* target : {"/", "/usr/bin/x", "/usr/../etc", "//etc"}) {
    EXPECT_TRUE(LinkStaysInside(target, 3, ArchiveUse::kRootFileSystem)) << target;
    EXPECT_FALSE(LinkStaysInside(target, 3, ArchiveUse::kFolder)) << target;
  }
  for (const char* target : {"/..", "/../etc", "/usr/../../etc"}) {
    EXPECT_FALSE(LinkStaysInside(target, 5, ArchiveUse::kRootFileSystem)) << target;
    EXPECT_FALSE(LinkStaysInside(target, 5, ArchiveUse::kFolder)) << target;
  }
}

TEST(ArchiveMemberTest, TakesFilesFoldersAndLinks) {
  for (const ArchiveUse use : kUses) {
    const auto file = CheckArchiveMember({.name = "./a/b"}, use);
    ASSERT_TRUE(file);
    EXPECT_THAT(file->path, ElementsAre("a", "b"));
    EXPECT_FALSE(file->is_left_out);
    EXPECT_TRUE(CheckArchiveMember({.name = "a/", .kind = Kind::kFolder}, use));
    EXPECT_TRUE(
        CheckArchiveMember({.name = "a/l", .kind = Kind::kSymbolicLink, .target = "../b"}, use));
    const auto linked =
        CheckArchiveMember({.name = "h", .kind = Kind::kHardLink, .target = "./a/b"}, use);
    ASSERT_TRUE(linked);
    EXPECT_THAT(linked->linked_path, ElementsAre("a", "b"));
  }
}

TEST(ArchiveMemberTest, TakesOnlyAFolderAsTheRootAndLeavesItOut) {
  for (const ArchiveUse use : kUses) {
    EXPECT_TRUE(CheckArchiveMember({.name = "./", .kind = Kind::kFolder}, use)->is_left_out);
    for (const Kind kind : {Kind::kFile, Kind::kSymbolicLink, Kind::kHardLink, Kind::kOther})
      EXPECT_THAT(WhyRefused({.name = "./", .kind = kind, .target = "a"}, use),
                  HasSubstr("named as the root"));
  }
}

TEST(ArchiveMemberTest, RefusesLinksThatLeadOut) {
  for (const ArchiveUse use : kUses) {
    for (const char* target : {"../x", "..", "a/../../x", ""})
      EXPECT_THAT(WhyRefused({.name = "l", .kind = Kind::kSymbolicLink, .target = target}, use),
                  HasSubstr("is a link that leads out"))
          << target;
    EXPECT_NE(WhyRefused({.name = "a/l", .kind = Kind::kSymbolicLink, .target = "../../x"}, use),
              "");
  }
  const ArchiveMember absolute{.name = "l", .kind = Kind::kSymbolicLink, .target = "/etc"};
  EXPECT_EQ(WhyRefused(absolute, ArchiveUse::kRootFileSystem), "");
  EXPECT_THAT(WhyRefused(absolute, ArchiveUse::kFolder), HasSubstr("is a link that leads out"));
}

// A hard link is followed by the unpacker itself, not by the box: an absolute one always leaves.
TEST(ArchiveMemberTest, RefusesHardLinksOutOfTheArchive) {
  for (const ArchiveUse use : kUses) {
    for (const std::string& target :
         {std::string("/etc/shadow"), std::string("../x"), std::string("a/../x"), std::string("."),
          std::string("./"), std::string(), std::string("a\0b", 3), std::string(256, 'a')})
      EXPECT_NE(WhyRefused({.name = "h", .kind = Kind::kHardLink, .target = target}, use), "")
          << target;
  }
}

TEST(ArchiveMemberTest, RefusesDevicesAndPipes) {
  for (const ArchiveUse use : kUses)
    EXPECT_THAT(WhyRefused({.name = "disk", .kind = Kind::kOther}, use), HasSubstr("a device"));
  EXPECT_THAT(WhyRefused({.name = "dev/null", .kind = Kind::kOther}, ArchiveUse::kFolder),
              HasSubstr("a device"));
  EXPECT_THAT(WhyRefused({.name = "pipe", .kind = Kind::kPipe}, ArchiveUse::kFolder),
              HasSubstr("a pipe"));
}

TEST(ArchiveMemberTest, LeavesOutTheDevAndThePipesOfAnImage) {
  const auto left_out = [](const ArchiveMember& member) {
    const auto checked = CheckArchiveMember(member, ArchiveUse::kRootFileSystem);
    return checked && checked->is_left_out;
  };
  EXPECT_TRUE(left_out({.name = "dev/null", .kind = Kind::kOther}));
  EXPECT_TRUE(left_out({.name = "./dev//shm/x"}));
  EXPECT_TRUE(left_out({.name = "run/pipe", .kind = Kind::kPipe}));
  EXPECT_FALSE(left_out({.name = "dev", .kind = Kind::kFolder}));
  EXPECT_FALSE(left_out({.name = "device/x"}));
  EXPECT_FALSE(CheckArchiveMember({.name = "dev/../etc/x"}, ArchiveUse::kRootFileSystem));
}

// File systems of Linux tell "DEV" from "dev"; so does the rule.
TEST(ArchiveMemberTest, TellsUpperFromLowerCase) {
  EXPECT_FALSE(CheckArchiveMember({.name = "DEV/x"}, ArchiveUse::kRootFileSystem)->is_left_out);
  EXPECT_FALSE(
      CheckArchiveMember({.name = "Dev/null", .kind = Kind::kOther}, ArchiveUse::kRootFileSystem));
  EXPECT_THAT(*SplitArchivePath("A/a"), ElementsAre("A", "a"));
}

}  // namespace
}  // namespace viv
