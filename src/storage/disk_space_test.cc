#include "storage/disk_space.h"

#include <gtest/gtest.h>

namespace viv::storage {
namespace {

TEST(DiskSpaceTest, KeepsAPartInReserve) {
  EXPECT_EQ(DiskReserve(100LL << 20), 32LL << 20);
  EXPECT_EQ(DiskReserve(10'000LL << 20), 200LL << 20);
  EXPECT_EQ(DiskReserve(1LL << 50), 1LL << 30);
}

TEST(DiskSpaceTest, IsNotLowAgainAtOnce) {
  DiskSpace space;
  space.reserve_bytes = 100;
  space.host_bytes = 150;
  EXPECT_TRUE(space.IsAmple());
  space.host_bytes = 149;
  EXPECT_FALSE(space.IsAmple());
  EXPECT_FALSE(space.IsLow());
  space.host_bytes = 99;
  EXPECT_TRUE(space.IsLow());
  EXPECT_FALSE(space.IsCritical());
  space.host_bytes = -1;
  EXPECT_TRUE(space.IsCritical());
  EXPECT_EQ(
      DescribeLowDisk(space),
      "the disk of this server is almost full: 0 MiB are free, and 0 MiB are kept in reserve");
}

TEST(DiskSpaceTest, ReadsWhatIsFree) {
  auto space = ReadDiskSpace("/tmp", "/tmp");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->host_bytes, space->image_bytes);
  EXPECT_TRUE(space->is_writable);
  EXPECT_FALSE(ReadDiskSpace("/no/such/folder", "/tmp"));
}

}  // namespace
}  // namespace viv::storage
