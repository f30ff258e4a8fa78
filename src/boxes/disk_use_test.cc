#include "boxes/disk_use.h"

#include <gtest/gtest.h>

namespace viv::boxes {
namespace {

DiskHolder BoxOf(std::string account, std::string folder, std::int64_t used) {
  DiskHolder holder;
  holder.account_id = std::move(account);
  holder.folder = std::move(folder);
  holder.used_bytes = used;
  return holder;
}

DiskHolder SnapshotOf(std::string account, std::set<std::string> layers) {
  DiskHolder holder;
  holder.account_id = std::move(account);
  holder.layers = std::move(layers);
  return holder;
}

TEST(DiskUseTest, ALayersNameSaysWhereItIsFrom) {
  const std::string name = LayerNameOf("abcdef", "folder", 5LL << 30);
  auto origin = ReadLayerName(name);
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->folder, "folder");
  EXPECT_EQ(origin->used_bytes, 5LL << 30);
}

TEST(DiskUseTest, OtherNamesSayNothing) {
  for (const char* name : {"", "abc", "abc-", "abc-12", "abc-12-", "abc--f", "abc-xyz-f",
                           "abc--5-f", "abc-fffffffffffffffff-f"})
    EXPECT_FALSE(ReadLayerName(name)) << name;
}

TEST(DiskUseTest, AddsUpBoxesByAccount) {
  auto use = DiskUseOf({BoxOf("a", "f1", 10), BoxOf("a", "f2", 5), BoxOf("b", "f3", 7)});
  EXPECT_EQ(use["a"], 15);
  EXPECT_EQ(use["b"], 7);
}

TEST(DiskUseTest, ALayerCostsNothingWhileItsBoxIsThere) {
  auto use = DiskUseOf({BoxOf("a", "f1", 10), SnapshotOf("a", {LayerNameOf("l1", "f1", 8)})});
  EXPECT_EQ(use["a"], 10);
}

TEST(DiskUseTest, LayersOfABoxThatIsGoneCostWhatItTookLast) {
  const std::string first = LayerNameOf("l1", "gone", 8), second = LayerNameOf("l2", "gone", 9);
  auto use = DiskUseOf({SnapshotOf("a", {first}), SnapshotOf("a", {first, second}),
                        SnapshotOf("b", {LayerNameOf("l3", "other", 4)})});
  EXPECT_EQ(use["a"], 9);
  EXPECT_EQ(use["b"], 4);
}

TEST(DiskUseTest, LayersOfOldServersCostNothing) {
  auto use = DiskUseOf({SnapshotOf("a", {"oldlayer"})});
  EXPECT_EQ(use["a"], 0);
}

}  // namespace
}  // namespace viv::boxes
