#include "storage/tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "base/unique_fd.h"
#include "storage/scratch_for_test.h"

namespace viv::storage {
namespace {

UniqueFd OpenTestFolder(const std::string& path) {
  return UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

struct stat StatusOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
  return status;
}

TEST(CopyTreeTest, KeepsOwnersModesTimesLinksAttributesAndWhiteouts) {
  const ScratchFolder scratch;
  const std::string from = scratch.path + "/from/upper", to = scratch.path + "/to/upper";
  std::filesystem::create_directories(from + "/etc");
  WriteText(from + "/etc/file", "text");
  ASSERT_EQ(chown((from + "/etc/file").c_str(), 1000, 1001), 0);
  ASSERT_EQ(chmod((from + "/etc/file").c_str(), 04751), 0);
  const timespec times[2] = {{5, 0}, {7, 9}};
  ASSERT_EQ(utimensat(AT_FDCWD, (from + "/etc/file").c_str(), times, 0), 0);
  ASSERT_EQ(link((from + "/etc/file").c_str(), (from + "/same").c_str()), 0);
  ASSERT_EQ(symlink("/etc/shadow", (from + "/link").c_str()), 0);
  ASSERT_EQ(mknod((from + "/hidden").c_str(), S_IFCHR, makedev(0, 0)), 0);
  ASSERT_EQ(setxattr((from + "/etc").c_str(), "trusted.overlay.opaque", "y", 1, 0), 0);

  const UniqueFd source = OpenTestFolder(scratch.path + "/from");
  const UniqueFd parent = OpenTestFolder(scratch.path);
  ASSERT_TRUE(CopyTree(source.get(), parent.get(), "to"));

  EXPECT_EQ(ReadText(to + "/etc/file"), "text");
  const struct stat file = StatusOf(to + "/etc/file");
  EXPECT_EQ(file.st_uid, 1000U);
  EXPECT_EQ(file.st_gid, 1001U);
  EXPECT_EQ(file.st_mode & 07777, 04751U);
  EXPECT_EQ(file.st_mtim.tv_sec, 7);
  EXPECT_EQ(StatusOf(to + "/same").st_ino, file.st_ino);
  EXPECT_NE(StatusOf(from + "/same").st_ino, file.st_ino);
  EXPECT_EQ(std::filesystem::read_symlink(to + "/link"), "/etc/shadow");
  EXPECT_TRUE(S_ISCHR(StatusOf(to + "/hidden").st_mode));
  EXPECT_EQ(StatusOf(to + "/hidden").st_rdev, makedev(0, 0));
  char value[2] = {};
  EXPECT_EQ(getxattr((to + "/etc").c_str(), "trusted.overlay.opaque", value, 2), 1);
}

TEST(CopyTreeTest, FailsWithoutATraceOnATreeThatIsTooDeep) {
  const ScratchFolder scratch;
  std::string deep = scratch.path + "/from";
  for (std::size_t i = 0; i < kTreeDepthMax + 2; ++i) deep += "/d";
  std::filesystem::create_directories(deep);
  const UniqueFd source = OpenTestFolder(scratch.path + "/from");
  const UniqueFd parent = OpenTestFolder(scratch.path);
  const Status copied = CopyTreeAtomically(source.get(), parent.get(), "to");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::kLimitExceeded);
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path))
    EXPECT_EQ(entry.path().filename(), "from");
}

TEST(CopyTreeTest, ReplacesNothing) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path + "/from");
  std::filesystem::create_directories(scratch.path + "/to");
  const UniqueFd source = OpenTestFolder(scratch.path + "/from");
  const UniqueFd parent = OpenTestFolder(scratch.path);
  const Status copied = CopyTreeAtomically(source.get(), parent.get(), "to");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, ErrorCode::kConflict);
}

TEST(RemoveTreeTest, RemovesWhatIsDeeperThanAPathCanName) {
  const ScratchFolder scratch;
  UniqueFd at = OpenTestFolder(scratch.path);
  for (int i = 0; i < 700; ++i) {
    ASSERT_EQ(mkdirat(at.get(), "folder", 0755), 0);
    at = UniqueFd(openat(at.get(), "folder", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  const UniqueFd parent = OpenTestFolder(scratch.path);
  EXPECT_TRUE(RemoveTree(parent.get(), "folder"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path));
}

TEST(RemoveTreeTest, DoesNotFollowLinks) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path + "/keep/inner");
  std::filesystem::create_directories(scratch.path + "/gone/inner");
  WriteText(scratch.path + "/keep/inner/file", "kept");
  ASSERT_EQ(symlink("../keep", (scratch.path + "/gone/link").c_str()), 0);
  const UniqueFd parent = OpenTestFolder(scratch.path);
  EXPECT_TRUE(RemoveTree(parent.get(), "gone"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path + "/gone"));
  EXPECT_EQ(ReadText(scratch.path + "/keep/inner/file"), "kept");
}

}  // namespace
}  // namespace viv::storage
