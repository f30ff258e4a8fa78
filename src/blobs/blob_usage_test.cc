#include "blobs/blob_usage.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "blobs/blob_store.h"

namespace viv::blobs {
namespace {

namespace fs = std::filesystem;

// What all owners have together, and may.
struct Totals {
  std::mutex mutex;
  std::int64_t blobs = 0, bytes = 0;
  std::int64_t blobs_max = 100, bytes_max = 1000;
};

class FakeCharge : public BlobCharge {
 public:
  explicit FakeCharge(Totals& totals) : totals_(totals) {}
  ~FakeCharge() override { SetUnchecked(0, 0); }
  Status Set(std::int64_t blobs, std::int64_t bytes) override {
    std::lock_guard lock(totals_.mutex);
    if (totals_.blobs + blobs - blobs_ > totals_.blobs_max ||
        totals_.bytes + bytes - bytes_ > totals_.bytes_max)
      return Fail(ErrorCode::kLimitExceeded, "too much");
    SetLocked(blobs, bytes);
    return {};
  }
  void SetUnchecked(std::int64_t blobs, std::int64_t bytes) override {
    std::lock_guard lock(totals_.mutex);
    SetLocked(blobs, bytes);
  }

 private:
  void SetLocked(std::int64_t blobs, std::int64_t bytes) {
    totals_.blobs += blobs - std::exchange(blobs_, blobs);
    totals_.bytes += bytes - std::exchange(bytes_, bytes);
  }
  Totals& totals_;
  std::int64_t blobs_ = 0, bytes_ = 0;
};

class BlobUsageTest : public ::testing::Test {
 protected:
  BlobUsageTest() { Open(); }
  ~BlobUsageTest() override { fs::remove_all(folder_); }
  static std::string MakeFolder() {
    std::string path = (fs::temp_directory_path() / "viv-blob-counts-XXXXXX").string();
    EXPECT_NE(::mkdtemp(path.data()), nullptr);
    return path;
  }
  void Open() {
    store_.reset();
    auto opened = BlobStore::Open(
        folder_, [this](std::string_view) { return std::make_unique<FakeCharge>(totals_); });
    ASSERT_TRUE(opened);
    store_ = *std::move(opened);
    ASSERT_TRUE(store_->AddOwner("box"));
  }
  Status Put(const BlobName& name, std::size_t bytes) {
    auto partial = store_->NewPartial(name);
    if (!partial) return PassUp(std::move(partial).error());
    RETURN_IF_ERROR(partial->Append(std::string(bytes, 'x')));
    return store_->Commit(std::move(*partial), name);
  }

  const std::string folder_ = MakeFolder();
  Totals totals_;
  std::unique_ptr<BlobStore> store_;
  const BlobName upload_ = NameOf("box", BlobName::Kind::kUpload, "archive");
};

TEST_F(BlobUsageTest, WhatIsKeptCountsAndWhatGoesDoesNot) {
  ASSERT_TRUE(Put(upload_, 400));
  EXPECT_EQ(totals_.blobs, 1);
  EXPECT_EQ(totals_.bytes, 400);
  ASSERT_TRUE(Put(upload_, 300)) << "in place of the other";
  EXPECT_EQ(totals_.blobs, 1);
  EXPECT_EQ(totals_.bytes, 300);
  store_->Remove(upload_);
  EXPECT_EQ(totals_.bytes, 0);
  ASSERT_TRUE(Put(upload_, 500));
  store_->RemoveOwner("box");
  EXPECT_EQ(totals_.blobs, 0);
  EXPECT_EQ(totals_.bytes, 0);
}

TEST_F(BlobUsageTest, WhatIsAnnouncedIsRefusedBeforeItIsWritten) {
  auto partial = store_->NewPartial(upload_);
  ASSERT_TRUE(partial);
  Status announced = partial->Reserve(1001);
  ASSERT_FALSE(announced);
  EXPECT_EQ(announced.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(partial->size(), 0U);
  EXPECT_TRUE(partial->Reserve(900));
  EXPECT_EQ(totals_.bytes, 900);
  EXPECT_TRUE(partial->Append(std::string(100, 'x'))) << "of what was announced";
  EXPECT_EQ(totals_.bytes, 900);
  ASSERT_TRUE(store_->Commit(std::move(*partial), upload_));
  EXPECT_EQ(totals_.bytes, 100) << "less came";
}

TEST_F(BlobUsageTest, WhatIsNotAnnouncedIsRefusedWhenItIsTooMuch) {
  {
    auto partial = store_->NewPartial(upload_);
    ASSERT_TRUE(partial);
    EXPECT_TRUE(partial->Append(std::string(600, 'x')));
    EXPECT_FALSE(partial->Append(std::string(600, 'x')));
    EXPECT_EQ(partial->size(), 600U);
  }
  EXPECT_EQ(totals_.blobs, 0) << "a partial blob that is dropped is uncharged";
  EXPECT_EQ(totals_.bytes, 0);
}

TEST_F(BlobUsageTest, TooManyAreRefused) {
  totals_.blobs_max = 1;
  ASSERT_TRUE(Put(upload_, 1));
  EXPECT_FALSE(store_->NewPartial(NameOf("box", BlobName::Kind::kUpload, "other")));
  EXPECT_EQ(totals_.blobs, 1);
}

TEST_F(BlobUsageTest, PartsCountWhileTheyAreThere) {
  {
    auto part = store_->OpenPartial(upload_, BlobStore::Resume::kFromStart);
    ASSERT_TRUE(part);
    ASSERT_TRUE(part->Append("12345"));
    part->KeepForResume();
  }
  EXPECT_EQ(totals_.blobs, 1);
  EXPECT_EQ(totals_.bytes, 5);
  {
    auto part = store_->OpenPartial(upload_, BlobStore::Resume::kFromEnd);
    ASSERT_TRUE(part);
    ASSERT_TRUE(part->Append("678"));
    ASSERT_TRUE(store_->Commit(std::move(*part), upload_));
  }
  EXPECT_EQ(totals_.blobs, 1);
  EXPECT_EQ(totals_.bytes, 8);
  {
    auto part = store_->OpenPartial(upload_, BlobStore::Resume::kFromStart);
    ASSERT_TRUE(part);
  }
  EXPECT_EQ(totals_.blobs, 1);
  EXPECT_EQ(totals_.bytes, 8);
}

TEST_F(BlobUsageTest, WhatIsThereIsCountedAtStartWhateverTheLimit) {
  ASSERT_TRUE(Put(upload_, 700));
  totals_.bytes_max = 10;
  Open();
  EXPECT_EQ(totals_.blobs, 1);
  EXPECT_EQ(totals_.bytes, 700);
  EXPECT_FALSE(Put(NameOf("box", BlobName::Kind::kUpload, "other"), 1));
}

TEST_F(BlobUsageTest, SweepsAndOldDownloadsAreTakenBack) {
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(Put(NameOf("box", BlobName::Kind::kDownload, std::to_string(i)), 10));
  store_->KeepNewestDownloads("box", 2);
  EXPECT_EQ(totals_.blobs, 2);
  EXPECT_EQ(totals_.bytes, 20);
  store_->Sweep([](std::string_view) { return false; }, 0);
  EXPECT_EQ(totals_.blobs, 0);
  EXPECT_EQ(totals_.bytes, 0);
}

TEST_F(BlobUsageTest, ManyAtOnceNeverPassTheLimit) {
  std::atomic<int> kept = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        const std::string purpose = std::to_string(t) + "-" + std::to_string(i);
        if (Put(NameOf("box", BlobName::Kind::kUpload, purpose), 100)) ++kept;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kept * 100, totals_.bytes);
  EXPECT_LE(totals_.bytes, 1000);
  EXPECT_GE(kept, 1);
}

}  // namespace
}  // namespace viv::blobs
