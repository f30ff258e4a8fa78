#include "storage/box_storage_base.h"

#include <gtest/gtest.h>

#include "storage/scratch_for_test.h"

namespace viv::storage {
namespace {

constexpr std::int64_t kRoom = 1 << 20;

TEST(StorageNameTest, TakesLowerCaseLettersDigitsAndDashesOnly) {
  for (const char* good : {"a", "0", "i0abc9", "template-3-x", "a-"})
    EXPECT_TRUE(IsStorageName(good)) << good;
  for (const char* bad : {"", "-a", ".", "..", "a/b", "A", "a b", "a\n", ".gone-1", "a:b", "ä"})
    EXPECT_FALSE(IsStorageName(bad)) << bad;
  EXPECT_TRUE(IsStorageName(std::string(100, 'a')));
  EXPECT_FALSE(IsStorageName(std::string(101, 'a')));
  EXPECT_FALSE(IsStorageName(std::string_view("a\0b", 3)));
}

TEST(FolderStorageTest, MakesBoxesAndLayersAndRemovesThem) {
  const ScratchFolder scratch;
  auto storage = *OpenFolder(scratch.path);
  EXPECT_EQ(storage->kind(), "folder");
  EXPECT_FALSE(storage->has_limits());
  const std::string folder = *storage->Make("one", kRoom);
  WriteText(folder + "/file", "before");
  const std::string layer = *storage->MakeLayer("one", "layer-1");
  WriteText(folder + "/file", "after");
  EXPECT_EQ(ReadText(layer + "/file"), "before");
  EXPECT_EQ(storage->ListLayers(), std::vector<std::string>{"layer-1"});
  EXPECT_GT(storage->Read("one")->limit_bytes, 0);

  ASSERT_TRUE(storage->Remove("one"));
  EXPECT_TRUE(storage->List().empty());
  ASSERT_TRUE(storage->RemoveLayer("layer-1"));
  EXPECT_EQ(storage->FindLayer("layer-1").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(ComesToHoldNothingGone(scratch.path + "/folder/boxes"));
  EXPECT_TRUE(ComesToHoldNothingGone(scratch.path + "/folder/layers"));
}

TEST(FolderStorageTest, FreesWhatAKilledServerLeft) {
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path + "/folder/boxes/.gone-1/upper");
  std::filesystem::create_directories(scratch.path + "/folder/layers/.part-1/upper");
  auto storage = *OpenFolder(scratch.path);
  EXPECT_TRUE(ComesToHoldNothingGone(scratch.path + "/folder/boxes"));
  EXPECT_TRUE(ComesToHoldNothingGone(scratch.path + "/folder/layers"));
}

TEST(FolderStorageTest, RefusesWhatIsNoName) {
  const ScratchFolder scratch;
  auto storage = *OpenFolder(scratch.path);
  std::filesystem::create_directories(scratch.path + "/folder/outside/upper");
  for (const char* name : {"../outside", "", ".", "..", "/tmp", "a/b"}) {
    EXPECT_EQ(storage->Make(name, kRoom).error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(storage->Find(name).error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(storage->Remove(name).error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(storage->RemoveLayer(name).error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_EQ(storage->FindLayer(name).error().code, ErrorCode::kInvalidArgument) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(scratch.path + "/folder/outside/upper"));
}

TEST(FolderStorageTest, SaysWhatIsThereAndWhatIsNot) {
  const ScratchFolder scratch;
  auto storage = *OpenFolder(scratch.path);
  ASSERT_TRUE(storage->Make("one", kRoom));
  EXPECT_EQ(storage->Make("one", kRoom).error().code, ErrorCode::kConflict);
  EXPECT_EQ(storage->Make("two", 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(storage->Find("two").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(storage->Remove("two").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(storage->MakeLayer("two", "layer").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(storage->MakeLayer("one", "layer"));
  EXPECT_EQ(storage->MakeLayer("one", "layer").error().code, ErrorCode::kConflict);
}

}  // namespace
}  // namespace viv::storage
