#include "storage/disk_room.h"

#include <gtest/gtest.h>

namespace viv::storage {
namespace {

TEST(DiskRoomTest, KeepsAPartInReserve) {
  EXPECT_EQ(DiskReserve(100LL << 20), 32LL << 20);
  EXPECT_EQ(DiskReserve(10'000LL << 20), 200LL << 20);
  EXPECT_EQ(DiskReserve(1LL << 50), 1LL << 30);
}

TEST(DiskRoomTest, IsNotLowAgainAtOnce) {
  DiskRoom room;
  room.reserve_bytes = 100;
  room.host_bytes = 150;
  EXPECT_TRUE(room.IsAmple());
  room.host_bytes = 149;
  EXPECT_FALSE(room.IsAmple());
  EXPECT_FALSE(room.IsLow());
  room.host_bytes = 99;
  EXPECT_TRUE(room.IsLow());
  EXPECT_FALSE(room.IsCritical());
  room.host_bytes = -1;
  EXPECT_TRUE(room.IsCritical());
  EXPECT_EQ(
      DescribeLowDisk(room),
      "the disk of this server is almost full: 0 MiB are free, and 0 MiB are kept in reserve");
}

TEST(DiskRoomTest, ReadsWhatIsFree) {
  auto room = ReadDiskRoom("/tmp", "/tmp");
  ASSERT_TRUE(room);
  EXPECT_EQ(room->host_bytes, room->image_bytes);
  EXPECT_TRUE(room->is_writable);
  EXPECT_FALSE(ReadDiskRoom("/no/such/folder", "/tmp"));
}

}  // namespace
}  // namespace viv::storage
