#include "storage/box_storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/unique_fd.h"
#include "storage/btrfs.h"
#include "storage/image.h"
#include "storage/scratch_for_test.h"

namespace viv::storage {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;

class BoxStorageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "mounting an image needs root";
    auto opened = OpenAgain();
    ASSERT_TRUE(opened) << opened.error().message;
    storage_ = std::move(*opened);
    if (!storage_->has_limits()) GTEST_SKIP() << "this kernel has neither btrfs nor XFS quotas";
  }
  void TearDown() override {
    if (storage_) {
      EXPECT_TRUE(storage_->Unmount());
    }
    EXPECT_FALSE(LoopsStayOf(scratch_.path));
  }
  Result<std::unique_ptr<BoxStorage>> OpenAgain() {
    return BoxStorage::Open(
        {.directory = scratch_.path, .image_bytes = 512 * kMiB, .accept_no_limit = true});
  }

  const ScratchFolder scratch_;
  std::unique_ptr<BoxStorage> storage_;
};

// How much of `wanted` fits into a file before the file system refuses, once on disk.
std::int64_t BytesThatFit(const std::string& path, std::int64_t wanted) {
  const UniqueFd file(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  const std::string block(1 << 16, 'x');
  std::int64_t written = 0;
  while (written < wanted) {
    const ssize_t got = write(file.get(), block.data(), block.size());
    if (got <= 0 || fsync(file.get()) != 0) break;
    written += got;
  }
  return written;
}

// How many of `wanted` empty files fit into a folder.
int FilesThatFit(const std::string& folder, int wanted) {
  for (int made = 0; made < wanted; ++made) {
    const std::string path = folder + "/" + std::to_string(made);
    if (!UniqueFd(open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644))) return made;
  }
  return wanted;
}

TEST_F(BoxStorageTest, GivesABoxAnEmptyFolderOwnedByRoot) {
  const mode_t mask = umask(077);
  const auto folder = storage_->Make("box1", 10 * kMiB);
  umask(mask);
  ASSERT_TRUE(folder) << folder.error().message;
  struct stat status {};
  ASSERT_EQ(stat(folder->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755U);
  EXPECT_EQ(status.st_uid, 0U);
  EXPECT_TRUE(std::filesystem::is_empty(*folder));
  EXPECT_EQ(*storage_->Find("box1"), *folder);
  EXPECT_EQ(storage_->List(), std::vector<std::string>{"box1"});
}

TEST_F(BoxStorageTest, HoldsABoxToItsLimitAndTellsWhatItUses) {
  const auto folder = *storage_->Make("box1", 8 * kMiB);
  const std::int64_t fits = BytesThatFit(folder + "/big", 64 * kMiB);
  EXPECT_GT(fits, 6 * kMiB);
  EXPECT_LE(fits, 8 * kMiB);
  const auto usage = storage_->Read("box1");
  ASSERT_TRUE(usage) << usage.error().message;
  EXPECT_EQ(usage->limit_bytes, 8 * kMiB);
  EXPECT_GT(usage->used_bytes, 6 * kMiB);
  EXPECT_LE(usage->used_bytes, 8 * kMiB);
  const auto other = *storage_->Make("box2", 8 * kMiB);
  EXPECT_EQ(BytesThatFit(other + "/big", kMiB), kMiB);
  ASSERT_TRUE(storage_->SetLimit("box1", 20 * kMiB));
  EXPECT_GT(BytesThatFit(folder + "/more", 64 * kMiB), 8 * kMiB);
}

TEST_F(BoxStorageTest, CountsEmptyFilesToo) {
  const auto folder = *storage_->Make("box1", 2 * kMiB);
  constexpr int kMany = 50'000;  // their inodes alone are ten times the limit
  EXPECT_LT(FilesThatFit(folder, kMany), kMany);
  const auto other = *storage_->Make("box2", 2 * kMiB);
  EXPECT_EQ(FilesThatFit(other, 100), 100);
}

TEST_F(BoxStorageTest, MakesAReadOnlyLayerOfABoxAsItIsNow) {
  const auto folder = *storage_->Make("box1", 10 * kMiB);
  WriteText(folder + "/file", "before");
  const auto layer = storage_->MakeLayer("box1", "snapshot-1");
  ASSERT_TRUE(layer) << layer.error().message;
  WriteText(folder + "/file", "after");
  EXPECT_EQ(ReadText(*layer + "/file"), "before");
  EXPECT_EQ(storage_->FindLayer("snapshot-1").value(), *layer);
  EXPECT_EQ(storage_->MakeLayer("box1", "snapshot-1").error().code, ErrorCode::kConflict);
  ASSERT_TRUE(storage_->Remove("box1"));
  EXPECT_TRUE(ComesToHoldNothingGone(scratch_.path + "/mnt/boxes"));
  EXPECT_EQ(ReadText(*layer + "/file"), "before");
  ASSERT_TRUE(storage_->RemoveLayer("snapshot-1"));
  EXPECT_TRUE(storage_->ListLayers().empty());
  EXPECT_TRUE(ComesToHoldNothingGone(scratch_.path + "/mnt/layers"));
}

TEST_F(BoxStorageTest, FreesANameAtOnceAlsoWhileItsFilesAreOpen) {
  const auto folder = *storage_->Make("box1", 10 * kMiB);
  const UniqueFd open_file(open((folder + "/f").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
  ASSERT_TRUE(storage_->Remove("box1"));
  EXPECT_EQ(storage_->Find("box1").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(storage_->Make("box1", 10 * kMiB));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_TRUE(ComesToHoldNothingGone(scratch_.path + "/mnt/boxes"));
}

TEST_F(BoxStorageTest, IsFoundAgainMountedOrNot) {
  const auto folder = *storage_->Make("box1", 10 * kMiB);
  WriteText(folder + "/file", "kept");
  storage_.reset();  // a server that went without unmounting
  storage_ = *OpenAgain();
  EXPECT_EQ(ReadText(*storage_->Find("box1") + "/file"), "kept");
  EXPECT_EQ(storage_->Read("box1")->limit_bytes, 10 * kMiB);
  ASSERT_TRUE(storage_->Unmount());
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_FALSE(LoopsStayOf(scratch_.path));
  storage_ = *OpenAgain();
  EXPECT_EQ(ReadText(*storage_->Find("box1") + "/file"), "kept");
  EXPECT_EQ(storage_->Read("box1")->limit_bytes, 10 * kMiB);
}

TEST_F(BoxStorageTest, MountsTheDeviceThatBoxesStillHold) {
  const auto folder = *storage_->Make("box1", 10 * kMiB);
  WriteText(folder + "/file", "kept");
  const UniqueFd held(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(umount2((scratch_.path + "/mnt").c_str(), MNT_DETACH), 0);
  storage_ = *OpenAgain();
  EXPECT_EQ(ReadText(*storage_->Find("box1") + "/file"), "kept");
  WriteText(*storage_->Find("box1") + "/new", "seen by both");
  const UniqueFd seen(openat(held.get(), "new", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(seen);
}

TEST_F(BoxStorageTest, KeepsOthersOfTheMachineOut) {
  struct stat status {};
  ASSERT_EQ(stat(scratch_.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(BoxStorageTest, SaysWhatToDoAboutADamagedImage) {
  ASSERT_TRUE(storage_->Unmount());
  storage_.reset();
  const std::string image = scratch_.path + "/store.img";
  {  // the file system's name is left, its trees are not
    std::fstream file(image, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(1 << 20);
    const std::string zeros(1 << 20, 0);
    for (int i = 0; i < 200; ++i) file.write(zeros.data(), 1 << 20);
  }
  const auto damaged = OpenAgain();
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(damaged.error().message, HasSubstr("repair"));
  EXPECT_THAT(damaged.error().message, HasSubstr(image));
  EXPECT_FALSE(LoopsStayOf(scratch_.path));
  WriteText(image, "not an image at all");
  const auto foreign = OpenAgain();
  ASSERT_FALSE(foreign);
  EXPECT_THAT(foreign.error().message, HasSubstr("Move it away"));
  EXPECT_EQ(ReadText(image), "not an image at all");
}

TEST_F(BoxStorageTest, RefusesAMountPointThatIsTaken) {
  ASSERT_TRUE(storage_->Unmount());
  storage_.reset();
  ASSERT_EQ(mount("tmpfs", (scratch_.path + "/mnt").c_str(), "tmpfs", 0, nullptr), 0);
  const auto opened = OpenAgain();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("something else mounted"));
  EXPECT_EQ(umount2((scratch_.path + "/mnt").c_str(), 0), 0);
}

// How many groups of subvolumes are counted there; other file systems than btrfs have none.
std::size_t QuotaGroups(int root) {
  const auto folder = btrfs::QuotaGroupsFolder(root);
  std::size_t count = 0;
  std::error_code ignored;
  for (const auto& group : std::filesystem::directory_iterator(folder.value_or(""), ignored))
    count += group.path().filename().string().starts_with("0_") ? 1 : 0;
  return count;
}

TEST_F(BoxStorageTest, KeepsNoQuotaGroupsOfBoxesThatAreGone) {
  const UniqueFd root(open((scratch_.path + "/mnt").c_str(), O_RDONLY | O_CLOEXEC));
  const std::size_t before = QuotaGroups(root.get());
  EXPECT_EQ(before > 0, storage_->kind().starts_with("btrfs"));
  constexpr std::size_t kBoxes = 40;
  for (std::size_t i = 0; i < kBoxes; ++i) {
    const std::string name = "box" + std::to_string(i);
    ASSERT_TRUE(storage_->Make(name, kMiB));
    ASSERT_TRUE(storage_->Remove(name));
  }
  for (int i = 0; i < 100 && QuotaGroups(root.get()) > before + kBoxes / 2; ++i) {
    ioctl(root.get(), BTRFS_IOC_SYNC, nullptr);  // the kernel frees after a commit
    usleep(100'000);
    ASSERT_TRUE(storage_->Make("next", kMiB));
    ASSERT_TRUE(storage_->Remove("next"));
  }
  EXPECT_LE(QuotaGroups(root.get()), before + kBoxes / 2);
}

TEST(XfsStorageTest, FormatsTheSmallestImage) {
  const ScratchFolder scratch;
  const Status made = FormatImage(scratch.path + "/store.img", ImageKind::kXfs, kImageBytesMin);
  EXPECT_TRUE(made) << made.error().message;
}

TEST(XfsStorageTest, LimitsABoxWhereTheKernelCanAndSaysSoWhereNot) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting an image needs root";
  const ScratchFolder scratch;
  const Status formatted = FormatImage(scratch.path + "/store.img", ImageKind::kXfs, 512 * kMiB);
  ASSERT_TRUE(formatted) << formatted.error().message;
  EXPECT_EQ(*ReadImageKind(scratch.path + "/store.img"), ImageKind::kXfs);
  const auto opened = BoxStorage::Open({.directory = scratch.path});
  if (opened) {
    EXPECT_EQ((*opened)->kind(), "XFS image");
    const std::string folder = *(*opened)->Make("box1", 8 * kMiB);
    EXPECT_LE(BytesThatFit(folder + "/big", 64 * kMiB), 8 * kMiB);
    EXPECT_GT((*opened)->Read("box1")->used_bytes, 6 * kMiB);
    EXPECT_LT(FilesThatFit(*(*opened)->Make("box2", 2 * kMiB), 50'000), 1'000);
    EXPECT_TRUE((*opened)->MakeLayer("box1", "layer1"));
    EXPECT_TRUE((*opened)->Unmount());
  } else {
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(opened.error().message, HasSubstr("store.img"));
  }
  EXPECT_FALSE(LoopsStayOf(scratch.path));
}

TEST(BoxStorageWithoutRoomTest, NamesBothWaysOutAndTakesAFolderWhereThatIsAccepted) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  const ScratchFolder scratch;
  ASSERT_EQ(mount("tmpfs", scratch.path.c_str(), "tmpfs", 0, "size=16m"), 0);
  const auto refused = BoxStorage::Open({.directory = scratch.path + "/boxes"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("btrfs"));
  EXPECT_THAT(refused.error().message, HasSubstr("accept"));
  EXPECT_FALSE(std::filesystem::exists(scratch.path + "/boxes/store.img"));
  const auto folder =
      BoxStorage::Open({.directory = scratch.path + "/boxes", .accept_no_limit = true});
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ((*folder)->kind(), "folder");
}

std::int64_t AllocatedBytes(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return static_cast<std::int64_t>(status.st_blocks) * 512;
}

TEST_F(BoxStorageTest, GivesWhatWasRemovedBackToTheDisk) {
  constexpr std::int64_t kWritten = 64 << 20;
  auto folder = storage_->Make("box", 1LL << 30);
  ASSERT_TRUE(folder);
  if (!storage_->kind().starts_with("btrfs")) GTEST_SKIP() << "others discard by themselves";
  const std::string image = scratch_.path + "/store.img";
  const std::string file = *folder + "/big";
  const UniqueFd root(open(folder->c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  WriteText(file, std::string(kWritten, 'x'));
  syncfs(root.get());
  const std::int64_t full = AllocatedBytes(image);
  EXPECT_GE(full, kWritten);
  ASSERT_EQ(unlink(file.c_str()), 0);
  syncfs(root.get());
  for (int i = 0; i < 20'000 && AllocatedBytes(image) > full - kWritten / 2; ++i) {
    storage_->TrimSoon();
    usleep(500);
  }
  EXPECT_LE(AllocatedBytes(image), full - kWritten / 2);
}

}  // namespace
}  // namespace viv::storage
