#include "runtime/cgroup_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace viv::runtime {
namespace {

using ::testing::ElementsAre;

TEST(CgroupLayoutTest, ReadsV2Alone) {
  CgroupLayout layout = ReadCgroupLayout(
      "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
      "30 22 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
      "rw,nsdelegate,memory_recursiveprot\n",
      "0::/system.slice/viv.service\n");
  EXPECT_EQ(layout.v2_folder, "/sys/fs/cgroup");
  EXPECT_TRUE(layout.v1.empty());
  EXPECT_EQ(layout.FindV1("memory"), nullptr);
}

TEST(CgroupLayoutTest, ReadsV1AloneWithControllersThatShareAHierarchy) {
  CgroupLayout layout = ReadCgroupLayout(
      "31 23 0:28 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:3 - cgroup cgroup "
      "rw,cpu,cpuacct\n"
      "33 31 0:30 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "34 31 0:31 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd\n",
      "4:memory:/\n3:cpu,cpuacct:/\n1:name=systemd:/init.scope\n");
  EXPECT_EQ(layout.v2_folder, "");
  ASSERT_EQ(layout.v1.size(), 3U);
  EXPECT_EQ(layout.v1[0].folder, "/sys/fs/cgroup/cpu,cpuacct");
  EXPECT_THAT(layout.v1[0].controllers, ElementsAre("cpu", "cpuacct"));
  ASSERT_NE(layout.FindV1("memory"), nullptr);
  EXPECT_EQ(layout.FindV1("memory")->folder, "/sys/fs/cgroup/memory");
  EXPECT_EQ(layout.FindV1("cpu"), layout.FindV1("cpuacct"));
  EXPECT_EQ(layout.FindV1("pids"), nullptr);
  ASSERT_NE(layout.FindV1(kSystemdHierarchy), nullptr);
  EXPECT_EQ(layout.FindV1(kSystemdHierarchy)->folder, "/sys/fs/cgroup/systemd");
}

TEST(CgroupLayoutTest, ReadsV1WithV2BesideIt) {
  CgroupLayout layout = ReadCgroupLayout(
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
      "4:memory:/process/abc\n0::/\n");
  EXPECT_EQ(layout.v2_folder, "/sys/fs/cgroup/unified");
  ASSERT_EQ(layout.v1.size(), 1U);
  EXPECT_THAT(layout.v1[0].controllers, ElementsAre("memory"));
}

TEST(CgroupLayoutTest, CountsAHierarchyThatIsMountedTwiceOnce) {
  CgroupLayout layout = ReadCgroupLayout(
      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "36 31 0:32 / /mnt/again rw - cgroup cgroup rw,memory\n"
      "37 31 0:38 / /first rw - cgroup2 cgroup2 rw\n"
      "38 31 0:38 / /second rw - cgroup2 cgroup2 rw\n",
      "4:memory:/\n0::/\n");
  EXPECT_EQ(layout.v1.size(), 1U);
  EXPECT_EQ(layout.v2_folder, "/first");
}

TEST(CgroupLayoutTest, TakesNoMountOptionForAController) {
  CgroupLayout layout =
      ReadCgroupLayout("34 31 0:31 / /sys/fs/cgroup/other rw - cgroup cgroup rw,xattr,name=other\n",
                       "1:name=other:/\n");
  EXPECT_TRUE(layout.v1.empty());
}

TEST(CgroupLayoutTest, ReadsEscapedPaths) {
  CgroupLayout layout =
      ReadCgroupLayout("41 31 0:38 / /sys/fs/c\\040g\\134x rw - cgroup2 cgroup2 rw\n", "0::/\n");
  EXPECT_EQ(layout.v2_folder, "/sys/fs/c g\\x");
}

TEST(CgroupLayoutTest, PassesOverLinesItCannotRead) {
  for (const char* mounts : {"", "\n\n", "garbage", "1 2 3 - cgroup2", "1 2 3 4 /x rw cgroup2 x rw",
                             " - cgroup2 x rw", "1 2 3 4 /x rw - cgroup2"}) {
    CgroupLayout layout = ReadCgroupLayout(mounts, "nonsense\n:::\n4:memory\n");
    EXPECT_EQ(layout.v2_folder, "") << mounts;
    EXPECT_TRUE(layout.v1.empty()) << mounts;
  }
}

TEST(CgroupLayoutTest, FindsThisMachines) {
  auto layout = FindCgroupLayout();
  ASSERT_TRUE(layout);
  EXPECT_TRUE(!layout->v2_folder.empty() || !layout->v1.empty());
}

}  // namespace
}  // namespace viv::runtime
