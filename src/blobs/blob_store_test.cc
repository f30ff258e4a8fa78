#include "blobs/blob_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

namespace viv::blobs {
namespace {

namespace fs = std::filesystem;

class BlobStoreTest : public ::testing::Test {
 protected:
  BlobStoreTest() { store_ = *BlobStore::Open(folder_); }
  ~BlobStoreTest() override { fs::remove_all(folder_); }
  static std::string MakeFolder() {
    std::string path = (fs::temp_directory_path() / "viv-blobs-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    return path;
  }
  BlobName Put(std::string_view owner, BlobName::Kind kind, std::string_view purpose) {
    EXPECT_TRUE(store_->AddOwner(owner));
    BlobName name = NameOf(owner, kind, purpose);
    auto partial = store_->NewPartial(name);
    EXPECT_TRUE(partial->Append("bytes"));
    EXPECT_TRUE(store_->Commit(std::move(*partial), name));
    return name;
  }
  std::size_t Files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) ++count;
    return count;
  }

  const std::string folder_ = MakeFolder();
  std::unique_ptr<BlobStore> store_;
};

TEST_F(BlobStoreTest, ShowsABlobOnlyWhenItIsWhole) {
  ASSERT_TRUE(store_->AddOwner("ibox"));
  const BlobName name = NameOf("ibox", BlobName::Kind::kUpload, "x");
  {
    auto partial = store_->NewPartial(name);
    ASSERT_TRUE(partial);
    ASSERT_TRUE(partial->Append("half"));
    EXPECT_FALSE(store_->OpenToRead(name));
  }
  EXPECT_EQ(Files(), 0U);  // it was given up
  Put("ibox", BlobName::Kind::kUpload, "x");
  EXPECT_TRUE(store_->OpenToRead(name));
}

TEST_F(BlobStoreTest, TakesNothingForAnOwnerThatIsGone) {
  const BlobName name = Put("ibox", BlobName::Kind::kUpload, "x");
  store_->RemoveOwner("ibox");
  EXPECT_EQ(store_->NewPartial(name).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(store_->OpenToRead(name).error().code, ErrorCode::kNotFound);
  store_->RemoveOwner("ibox");
}

TEST_F(BlobStoreTest, GoesOnWhereAPieceEnded) {
  ASSERT_TRUE(store_->AddOwner("ibox"));
  const BlobName name = NameOf("ibox", BlobName::Kind::kUpload, "x");
  {
    auto partial = store_->OpenPartial(name, BlobStore::Resume::kFromStart);
    ASSERT_TRUE(partial->Append("one"));
    partial->KeepForResume();
  }
  auto partial = store_->OpenPartial(name, BlobStore::Resume::kFromEnd);
  EXPECT_EQ(partial->size(), 3U);
  partial = store_->OpenPartial(name, BlobStore::Resume::kFromStart);
  EXPECT_EQ(partial->size(), 0U);
}

TEST_F(BlobStoreTest, SweepsTheDeadAndTheOld) {
  Put("idead", BlobName::Kind::kUpload, "x");
  const BlobName old = Put("ialive", BlobName::Kind::kUpload, "old");
  const BlobName fresh = Put("ialive", BlobName::Kind::kUpload, "fresh");
  const timespec long_ago[2] = {{.tv_sec = 1'000'000, .tv_nsec = 0},
                                {.tv_sec = 1'000'000, .tv_nsec = 0}};
  ::utimensat(AT_FDCWD, (folder_ + "/ialive/" + old.leaf).c_str(), long_ago, 0);
  store_->Sweep([](std::string_view owner) { return owner == "ialive"; }, ::time(nullptr));
  EXPECT_FALSE(fs::exists(folder_ + "/idead"));
  EXPECT_FALSE(store_->OpenToRead(old));
  EXPECT_TRUE(store_->OpenToRead(fresh));
}

TEST_F(BlobStoreTest, KeepsOnlyTheNewestDownloads) {
  for (int i = 0; i < 6; ++i) {
    const BlobName name = Put("ibox", BlobName::Kind::kDownload, std::to_string(i));
    const timespec time[2] = {{.tv_sec = 1'000'000 + i, .tv_nsec = 0},
                              {.tv_sec = 1'000'000 + i, .tv_nsec = 0}};
    ::utimensat(AT_FDCWD, (folder_ + "/ibox/" + name.leaf).c_str(), time, 0);
  }
  Put("ibox", BlobName::Kind::kUpload, "stays");
  store_->KeepNewestDownloads("ibox", 2);
  EXPECT_EQ(Files(), 3U);
  EXPECT_TRUE(store_->OpenToRead(NameOf("ibox", BlobName::Kind::kDownload, "5")));
  EXPECT_FALSE(store_->OpenToRead(NameOf("ibox", BlobName::Kind::kDownload, "0")));
}

}  // namespace
}  // namespace viv::blobs
