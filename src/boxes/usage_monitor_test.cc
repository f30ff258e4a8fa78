#include "boxes/usage_monitor.h"

#include <gtest/gtest.h>

#include <map>

#include "accounts/fake_store.h"
#include "base/run_to_end.h"

namespace viv::boxes {
namespace {

constexpr std::int64_t kGiB = 1LL << 30;

// A disk of 100 GiB with boxes on it.
class UsageMonitorTest : public ::testing::Test {
 protected:
  UsageMonitorTest() {
    accounts::Budgets::Options options;
    options.has_several_accounts = [this] { return several_; };
    budgets_ = *accounts::Budgets::Open(store_, std::move(options));
    UsageSources sources;
    sources.boxes = [this] { return boxes_; };
    sources.snapshots = [this] { return snapshots_; };
    sources.read = [this](const std::string& folder) { return ++reads_, used_[folder]; };
    sources.limit = [this](const std::string& folder, std::int64_t bytes) -> Status {
      if (!used_.contains(folder)) return Fail(ErrorCode::kNotFound, "gone");
      limits_[folder] = bytes;
      return {};
    };
    sources.image_free = [this] {
      std::int64_t free = 100 * kGiB;
      for (const auto& [folder, used] : used_) free -= used;
      return free;
    };
    sources.flush = [this] { ++flushes_; };
    sources.host_disk_free = [] { return 1000 * kGiB; };
    sources.memory_available = [this] { return memory_available_; };
    monitor_ = std::make_unique<UsageMonitor>(*budgets_, std::move(sources));
  }

  void Add(std::string account, const std::string& folder, std::int64_t used) {
    MonitoredBox box;
    box.disk.account_id = std::move(account);
    box.disk.folder = folder;
    box.can_write = true;
    box.disk_allowed = 90 * kGiB;
    used_[folder] = used;
    boxes_.push_back(std::move(box));
  }

  accounts::FakeStore store_;
  bool several_ = true;
  std::vector<MonitoredBox> boxes_;
  std::vector<DiskHolder> snapshots_;
  std::map<std::string, std::int64_t> used_, limits_;
  int reads_ = 0, flushes_ = 0;
  std::int64_t memory_available_ = 10 * kGiB;
  std::unique_ptr<accounts::Budgets> budgets_;
  std::unique_ptr<UsageMonitor> monitor_;
};

TEST_F(UsageMonitorTest, HoldsBackWhoUsesAllOfItsShareAndNobodyElse) {
  Add("alice", "a1", 50 * kGiB);
  Add("alice", "a2", 10 * kGiB);
  Add("bob", "b1", 1 * kGiB);
  monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 90 * kGiB) << "60 of 100 with 39 free is fine";
  used_["a1"] = 70 * kGiB;
  monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 70 * kGiB);
  EXPECT_EQ(limits_["a2"], 10 * kGiB);
  EXPECT_EQ(limits_["b1"], 90 * kGiB);
  EXPECT_FALSE(budgets_->CheckBelowLimit("alice", accounts::Budget::kDiskBytes));
  EXPECT_TRUE(budgets_->CheckBelowLimit("bob", accounts::Budget::kDiskBytes));
  EXPECT_EQ(budgets_->UsageOf("alice")[accounts::Budget::kDiskBytes], 80 * kGiB);
}

TEST_F(UsageMonitorTest, LetsThemGrowAgainWhenThereIsRoom) {
  Add("alice", "a1", 80 * kGiB);
  monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 80 * kGiB);
  used_["a1"] = 20 * kGiB;
  monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 90 * kGiB);
  limits_.clear();
  monitor_->RunOnce();
  EXPECT_TRUE(limits_.empty()) << "what is as it should be is left alone";
}

TEST_F(UsageMonitorTest, ABoxThatWasHeldAndPausedIsSeenToWhenItRuns) {
  Add("alice", "a1", 80 * kGiB);
  monitor_->RunOnce();
  boxes_[0].can_write = false;
  monitor_->RunOnce();
  used_["a1"] = 20 * kGiB;
  for (int i = 0; i < 40; ++i) monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 80 * kGiB);
  boxes_[0].can_write = true;
  for (int i = 0; i < 5; ++i) monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 90 * kGiB);
}

TEST_F(UsageMonitorTest, TheFirstLookUndoesWhatAnEarlierServerHeld) {
  Add("alice", "a1", 1 * kGiB);
  limits_["a1"] = 1 * kGiB;
  monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 90 * kGiB);
}

TEST_F(UsageMonitorTest, OneAccountAloneIsNotHeld) {
  several_ = false;
  Add("alice", "a1", 99 * kGiB);
  monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 90 * kGiB);
  EXPECT_EQ(flushes_, 0);
  accounts::AccountLimits limits;
  limits[accounts::Budget::kDiskBytes] = 50 * kGiB;
  ASSERT_TRUE(RunToEnd(budgets_->SetLimits("alice", limits)));
  for (int i = 0; i < 10; ++i) monitor_->RunOnce();
  EXPECT_EQ(limits_["a1"], 90 * kGiB) << "its own limit is less than what it took";
  EXPECT_GT(flushes_, 0);
  EXPECT_FALSE(budgets_->CheckBelowLimit("alice", accounts::Budget::kDiskBytes));
}

TEST_F(UsageMonitorTest, SnapshotsOfBoxesThatAreGoneCount) {
  DiskHolder snapshot;
  snapshot.account_id = "alice";
  snapshot.layers = {LayerNameOf("l", "gone", 30 * kGiB)};
  snapshots_ = {snapshot};
  monitor_->RunOnce();
  EXPECT_EQ(budgets_->UsageOf("alice")[accounts::Budget::kDiskBytes], 30 * kGiB);
}

TEST_F(UsageMonitorTest, BoxesAtRestAreNotReadEachTime) {
  Add("alice", "a1", kGiB);
  boxes_[0].can_write = false;
  for (int i = 0; i < 20; ++i) monitor_->RunOnce();
  EXPECT_EQ(reads_, 1);
}

TEST_F(UsageMonitorTest, AccountsThatUseLittleAreMeasuredNowAndThen) {
  Add("alice", "a1", 60 * kGiB);
  Add("bob", "b1", kGiB);
  monitor_->RunOnce();
  EXPECT_EQ(reads_, 2);
  for (int i = 0; i < 4; ++i) monitor_->RunOnce();
  EXPECT_EQ(reads_, 6) << "only who uses much is read each time";
  monitor_->RunOnce();
  EXPECT_EQ(reads_, 8);
}

TEST_F(UsageMonitorTest, MemoryIsSharedByWhatIsUsed) {
  Add("alice", "a1", 0);
  boxes_[0].memory_used = 29 * kGiB;
  monitor_->RunOnce();
  EXPECT_TRUE(budgets_->CheckBelowLimit("alice", accounts::Budget::kMemoryUsedBytes));
  memory_available_ = 5 * kGiB;
  for (int i = 0; i < 5; ++i) monitor_->RunOnce();
  EXPECT_FALSE(budgets_->CheckBelowLimit("alice", accounts::Budget::kMemoryUsedBytes));
  EXPECT_TRUE(budgets_->CheckBelowLimit("bob", accounts::Budget::kMemoryUsedBytes));
}

TEST_F(UsageMonitorTest, ABoxThatEndedMeanwhileIsNoFailure) {
  Add("alice", "a1", 80 * kGiB);
  used_.erase("a1");
  monitor_->RunOnce();
}

TEST_F(UsageMonitorTest, ItsThreadEndsWithIt) {
  monitor_->Start();
  monitor_.reset();
}

}  // namespace
}  // namespace viv::boxes
