#include "accounts/budgets.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "accounts/fake_store.h"
#include "base/run_to_end.h"

namespace viv::accounts {
namespace {

Amounts Of(Budget budget, std::int64_t amount) {
  Amounts amounts;
  amounts[budget] = amount;
  return amounts;
}

AccountLimits LimitOf(Budget budget, std::int64_t limit) {
  AccountLimits limits;
  limits[budget] = limit;
  return limits;
}

class BudgetsTest : public ::testing::Test {
 protected:
  BudgetsTest() { Open(); }
  void Open() {
    Budgets::Options options;
    options.totals[Budget::kBoxes] = 100;
    options.has_several_accounts = [this] { return several_; };
    auto opened = Budgets::Open(store_, std::move(options));
    ASSERT_TRUE(opened) << opened.error().message;
    budgets_ = *std::move(opened);
  }
  Status Set(std::string account, AccountLimits limits) {
    return RunToEnd(budgets_->SetLimits(std::move(account), limits));
  }
  // How many boxes the account can take one by one.
  int TakeAll(const std::string& account) {
    int taken = 0;
    while (taken < 1000 && budgets_->Take(account, Of(Budget::kBoxes, 1))) ++taken;
    return taken;
  }

  FakeStore store_;
  bool several_ = true;
  std::unique_ptr<Budgets> budgets_;
};

TEST_F(BudgetsTest, ALimitIsReachedAndNotPassed) {
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kMemoryBytes, 3)));
  EXPECT_TRUE(budgets_->Take("alice", Of(Budget::kMemoryBytes, 2)));
  Status more = budgets_->Take("alice", Of(Budget::kMemoryBytes, 2));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(ExceededBudget(more.error()), Budget::kMemoryBytes);
  EXPECT_EQ(budgets_->UsageOf("alice")[Budget::kMemoryBytes], 2) << "a refusal takes nothing";
  EXPECT_TRUE(budgets_->Take("alice", Of(Budget::kMemoryBytes, 1)));
  EXPECT_TRUE(budgets_->Take("bob", Of(Budget::kMemoryBytes, 100))) << "another is not affected";
  budgets_->Return("alice", Of(Budget::kMemoryBytes, 3));
  EXPECT_TRUE(budgets_->Take("alice", Of(Budget::kMemoryBytes, 3)));
}

TEST_F(BudgetsTest, AllOfItIsTakenOrNothing) {
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kCpus, 1000)));
  Amounts box = Of(Budget::kBoxes, 1);
  box[Budget::kCpus] = 2000;
  EXPECT_FALSE(budgets_->Take("alice", box));
  EXPECT_EQ(budgets_->UsageOf("alice"), Amounts());
}

TEST_F(BudgetsTest, AnErrorNamesItsBudget) {
  for (Budget budget : {Budget::kBoxes, Budget::kRunning, Budget::kWorlds, Budget::kCpus,
                        Budget::kMemoryBytes, Budget::kDiskBytes, Budget::kBlobs,
                        Budget::kBlobBytes, Budget::kBuilds, Budget::kRepositoryBytes}) {
    ASSERT_TRUE(Set("alice", LimitOf(budget, 0)));
    Status taken = budgets_->Take("alice", Of(budget, 1));
    ASSERT_FALSE(taken);
    EXPECT_EQ(ExceededBudget(taken.error()), budget) << taken.error().message;
    const Status passed = PassUp(taken.error(), "start again");
    EXPECT_EQ(ExceededBudget(passed.error()), budget)
        << "also with what somebody was doing before it";
    taken.error().message = "another text";
    EXPECT_EQ(ExceededBudget(taken.error()), budget) << "whatever the text says";
  }
  EXPECT_FALSE(ExceededBudget({ErrorCode::kLimitExceeded, "this server holds 5 boxes already"}));
  EXPECT_FALSE(ExceededBudget({ErrorCode::kLimitExceeded, "box limit of this account"}))
      << "a text alone names no budget";
  EXPECT_FALSE(ExceededBudget({ErrorCode::kConflict, "x", ErrorDetail(Budget::kBoxes)}));
}

TEST_F(BudgetsTest, OneAccountAloneMayHaveEverything) {
  several_ = false;
  EXPECT_TRUE(budgets_->Take("default", Of(Budget::kBoxes, 100)));
  EXPECT_TRUE(budgets_->Take("default", Of(Budget::kBoxes, 1))) << "the total is not held here";
  EXPECT_FALSE(budgets_->EffectiveLimitsOf("default")[Budget::kBoxes]);
}

TEST_F(BudgetsTest, TheFairShareLeavesSomethingForTheNext) {
  EXPECT_EQ(TakeAll("alice"), 75);
  EXPECT_EQ(TakeAll("bob"), 18) << "three times what stays free";
  EXPECT_GE(TakeAll("carol"), 4);
  EXPECT_GE(TakeAll("dave"), 1);
  EXPECT_FALSE(budgets_->Take("alice", Of(Budget::kBoxes, 1)));
}

TEST_F(BudgetsTest, FairSharesConvergeAsAccountsComeAndGo) {
  TakeAll("alice");
  budgets_->Return("alice", Of(Budget::kBoxes, 75));
  // Both ask in turns, as two busy accounts would.
  int alice = 0, bob = 0;
  for (int i = 0; i < 200; ++i) {
    alice += budgets_->Take("alice", Of(Budget::kBoxes, 1)) ? 1 : 0;
    bob += budgets_->Take("bob", Of(Budget::kBoxes, 1)) ? 1 : 0;
  }
  EXPECT_EQ(alice, 43);  // three sevenths
  EXPECT_NEAR(bob, 43, 1);
}

TEST_F(BudgetsTest, ALimitTakesThePlaceOfTheShare) {
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kBoxes, 90)));
  EXPECT_EQ(TakeAll("alice"), 90);
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kBoxes, 10)));
  EXPECT_EQ(budgets_->UsageOf("alice")[Budget::kBoxes], 90) << "what it has it keeps";
  EXPECT_FALSE(budgets_->Take("alice", Of(Budget::kBoxes, 1)));
}

TEST_F(BudgetsTest, MeasuredBudgetsAreHeldToWhatIsFree) {
  Budgets::Measured disk;
  disk.used = {{"alice", 60}, {"bob", 10}};
  disk.free = 30;
  budgets_->SetMeasured(Budget::kDiskBytes, disk);
  EXPECT_TRUE(budgets_->CheckBelowLimit("alice", Budget::kDiskBytes));
  disk.used["alice"] = 80;
  disk.free = 10;
  budgets_->SetMeasured(Budget::kDiskBytes, disk);
  EXPECT_FALSE(budgets_->CheckBelowLimit("alice", Budget::kDiskBytes));
  EXPECT_TRUE(budgets_->CheckBelowLimit("bob", Budget::kDiskBytes));
  several_ = false;
  EXPECT_TRUE(budgets_->CheckBelowLimit("alice", Budget::kDiskBytes));
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kDiskBytes, 80)));
  EXPECT_FALSE(budgets_->CheckBelowLimit("alice", Budget::kDiskBytes))
      << "a limit holds one alone too";
}

TEST_F(BudgetsTest, LimitsSurviveARestart) {
  auto limits =
      ApplyLimitChanges({}, json::object{{"boxes", 5}, {"cpus", 1.5}, {"memory_bytes", 7}});
  ASSERT_TRUE(limits);
  ASSERT_TRUE(Set("alice", *limits));
  Open();
  EXPECT_EQ(budgets_->LimitsOf("alice"), *limits);
  EXPECT_EQ(TakeAll("alice"), 5);
  ASSERT_TRUE(Set("alice", {}));
  Open();
  EXPECT_EQ(budgets_->LimitsOf("alice"), AccountLimits());
  EXPECT_TRUE(store_.documents.empty()) << "no limits, no record";
}

TEST_F(BudgetsTest, WhatANewerServerKeptIsLeftOutAndTheRestHolds) {
  store_.documents[{"account.limits", "alice"}] = {"account.limits", "alice", "alice",
                                                   R"({"moons": 3, "boxes": 2, "cpus": "x"})"};
  Open();
  EXPECT_EQ(budgets_->LimitsOf("alice"), LimitOf(Budget::kBoxes, 2));
}

TEST_F(BudgetsTest, ALimitThatCannotBeKeptDoesNotHold) {
  store_.is_broken = true;
  EXPECT_FALSE(Set("alice", LimitOf(Budget::kBoxes, 0)));
  EXPECT_TRUE(budgets_->Take("alice", Of(Budget::kBoxes, 1)));
}

TEST_F(BudgetsTest, LimitsAreReadStrictly) {
  for (const json::object& wrong :
       {json::object{{"boxes", -1}}, json::object{{"boxes", 1.5}}, json::object{{"boxes", "5"}},
        json::object{{"boxes", 1e18}}, json::object{{"cpus", -1}}, json::object{{"cpus", true}},
        json::object{{"nothing", 1}}, json::object{{"memory_used_bytes", 1}}}) {
    auto limits = ApplyLimitChanges({}, wrong);
    ASSERT_FALSE(limits) << json::serialize(wrong);
    EXPECT_EQ(limits.error().code, ErrorCode::kInvalidArgument);
  }
  auto limits = ApplyLimitChanges(LimitOf(Budget::kBoxes, 5), json::object{{"boxes", nullptr}});
  ASSERT_TRUE(limits);
  EXPECT_EQ(*limits, AccountLimits());
}

TEST_F(BudgetsTest, RequestsAreLimitedByTheSameRecord) {
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kRequestsPerSecond, 1)));
  EXPECT_FALSE(budgets_->requests().Admit("alice", 1));
  EXPECT_TRUE(budgets_->requests().Admit("alice", 1));
  Open();
  EXPECT_FALSE(budgets_->requests().Admit("alice", 1));
  EXPECT_TRUE(budgets_->requests().Admit("alice", 1));
}

TEST_F(BudgetsTest, ManyAtOnceNeverPassALimit) {
  constexpr int kLimit = 20;
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kBoxes, kLimit)));
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i)
        if (budgets_->Take("alice", Of(Budget::kBoxes, 1))) ++taken;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, kLimit);
}

// Creations that fail at any step, by many at once: in the end everything is given back, and at no
// time was there more than the limit.
TEST_F(BudgetsTest, ChargesThatFailHalfWayLeaveNothing) {
  constexpr int kLimit = 10;
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kBoxes, kLimit)));
  std::atomic<int> alive = 0;
  std::atomic<bool> passed = false;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 500; ++i) {
        Charge charge(budgets_.get(), "alice");
        Amounts amounts = Of(Budget::kBoxes, 1);
        amounts[Budget::kMemoryBytes] = 100;
        if (!charge.Set(amounts)) continue;
        if (++alive > kLimit) passed = true;
        const unsigned step = random() % 4;
        if (step == 1) charge.SetUnchecked(Of(Budget::kBoxes, 1));
        Charge moved = std::move(charge);
        if (step == 2) {
          EXPECT_TRUE(moved.Set(Of(Budget::kBoxes, 1)));
        }
        if (step == 3) {
          amounts[Budget::kMemoryBytes] = 200;
          EXPECT_TRUE(moved.Set(amounts));
        }
        --alive;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(passed);
  EXPECT_EQ(budgets_->UsageOf("alice"), Amounts());
}

TEST_F(BudgetsTest, AChargeThatMayNotGrowStaysAsItWas) {
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kMemoryBytes, 10)));
  Charge charge(budgets_.get(), "alice");
  ASSERT_TRUE(charge.Set(Of(Budget::kMemoryBytes, 8)));
  EXPECT_FALSE(charge.Set(Of(Budget::kMemoryBytes, 11)));
  EXPECT_EQ(charge.amounts()[Budget::kMemoryBytes], 8);
  EXPECT_EQ(budgets_->UsageOf("alice")[Budget::kMemoryBytes], 8);
  ASSERT_TRUE(Set("alice", LimitOf(Budget::kMemoryBytes, 1)));
  EXPECT_TRUE(charge.Set(Of(Budget::kMemoryBytes, 5))) << "less is always fine";
  charge.Detach();
  Charge without;
  EXPECT_TRUE(without.Set(Of(Budget::kMemoryBytes, 1'000'000)));
  EXPECT_EQ(budgets_->UsageOf("alice")[Budget::kMemoryBytes], 5);
}

}  // namespace
}  // namespace viv::accounts
