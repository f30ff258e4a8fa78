// Commits that fail, injected before each; what was changed in memory must be as if never done.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>

#include "store/contract/fixture.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/test_support.h"

namespace viv::store {
namespace {

// A disk that can be told to fail, and to hold a commit until told to go on.
class Disk {
 public:
  Status BeforeCommit() {
    if (held_.exchange(false)) {
      entered_.set_value();
      go_on_.get_future().wait();
    }
    if (failing_) return Fail(ErrorCode::kInternal, "the disk is on fire");
    return {};
  }
  void set_failing(bool failing) { failing_ = failing; }
  void HoldNextCommit() { held_ = true; }
  void WaitUntilHeld() { entered_.get_future().wait(); }
  void LetGo() { go_on_.set_value(); }

 private:
  std::atomic<bool> failing_ = false;
  std::atomic<bool> held_ = false;
  std::promise<void> entered_, go_on_;
};

class CommitFailureTest : public ::testing::Test {
 protected:
  CommitFailureTest() { Open({}); }

  void Open(SqliteStore::Options options) {
    store_.reset();
    options.writer.before_commit = [this] { return disk_.BeforeCommit(); };
    auto store = SqliteStore::Open(directory_.File("viv.db"), std::move(options));
    EXPECT_TRUE(store) << store.error().message;
    store_ = *std::move(store);
  }

  // Starts the write on context_; its end shows in the future once context_ ran.
  template <typename T>
  std::future<T> Start(Task<T> task) {
    auto done = asio::co_spawn(context_, std::move(task), asio::use_future);
    context_.poll();  // up to where it waits for the disk: it is queued now
    return done;
  }
  std::string TextOf(const std::string& id) {
    auto row = store_->GetSandbox(id);
    return row ? (*row)->lease_id + " " + (*row)->settings_json : "none";
  }

  TempDirectory directory_;
  Disk disk_;
  asio::io_context context_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(CommitFailureTest, ACallerIsToldTheReasonAndTheRowIsGone) {
  disk_.set_failing(true);
  auto acquired = Wait(store_->Acquire(Request("slack", 1)));
  ASSERT_FALSE(acquired);
  EXPECT_EQ(acquired.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(acquired.error().message.find("the disk is on fire"), std::string::npos);
  EXPECT_EQ(store_->CountSandboxes(), 0U);
  EXPECT_FALSE(store_->GetSandboxByLease("lease-slack-1"));
}

TEST_F(CommitFailureTest, TheStoreStaysUsable) {
  disk_.set_failing(true);
  EXPECT_FALSE(Wait(store_->Acquire(Request("slack", 1))));
  disk_.set_failing(false);
  EXPECT_TRUE(Wait(store_->Acquire(Request("slack", 1))));
  Open({});
  EXPECT_EQ(store_->CountSandboxes(), 1U);
}

TEST_F(CommitFailureTest, AnIdleRowIsIdleAgain) {
  SandboxPtr held = *Wait(store_->Acquire(Request("slack", 1)));
  ASSERT_TRUE(Wait(store_->Update(Released(*held, 2), held->lease_id)));
  disk_.set_failing(true);
  EXPECT_FALSE(Wait(store_->Acquire(Request("slack", 3))));
  disk_.set_failing(false);
  EXPECT_EQ((*store_->GetSandbox(held->id))->state, SandboxState::kIdle);
  EXPECT_EQ((*Wait(store_->Acquire(Request("slack", 4))))->id, held->id);
}

TEST_F(CommitFailureTest, NobodyIsToldSuccessBeforeTheCommit) {
  disk_.HoldNextCommit();
  auto acquired = Start(store_->Acquire(Request("slack", 1)));
  disk_.WaitUntilHeld();
  context_.poll();
  EXPECT_NE(acquired.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_TRUE(store_->GetSandbox("id-slack-1")) << "others may see it";
  disk_.LetGo();
  context_.run();
  EXPECT_TRUE(acquired.get());
}

TEST_F(CommitFailureTest, WhatQueuedBehindAFailedGroupIsTakenBackInReverse) {
  SandboxPtr held = *Wait(store_->Acquire(Request("slack", 1)));
  const std::string before = TextOf(held->id);
  disk_.set_failing(true);
  disk_.HoldNextCommit();
  Sandbox first = *held, second = *held;
  first.settings_json = "{\"first\":1}";
  second.settings_json = "{\"second\":2}";
  auto in_group = Start(store_->Update(first, held->lease_id));
  disk_.WaitUntilHeld();
  auto behind = Start(store_->Update(second, held->lease_id));
  auto released = Start(store_->Update(Released(second, 9), held->lease_id));
  auto taken = Start(store_->Acquire(Request("slack", 2)));
  auto made = Start(store_->Acquire(Request("slack", 3)));
  EXPECT_EQ(TextOf(held->id), "lease-slack-2 {}");
  disk_.LetGo();
  context_.run();
  EXPECT_TRUE(FailedWith(in_group.get(), ErrorCode::kUnavailable));
  EXPECT_TRUE(FailedWith(behind.get(), ErrorCode::kUnavailable));
  EXPECT_TRUE(FailedWith(released.get(), ErrorCode::kUnavailable));
  EXPECT_TRUE(FailedWith(taken.get(), ErrorCode::kUnavailable));
  EXPECT_TRUE(FailedWith(made.get(), ErrorCode::kUnavailable));
  EXPECT_EQ(TextOf(held->id), before);
  EXPECT_EQ(store_->CountSandboxes(), 1U);
  disk_.set_failing(false);
  Open({});
  EXPECT_EQ(TextOf(held->id), before);
}

TEST_F(CommitFailureTest, AccountsAndKeysAreTakenBackToo) {
  ASSERT_TRUE(store_->CreateOrganization({"o1", "Example", 1}));
  ASSERT_TRUE(store_->CreateAccount({"a1", "o1", "Alice", 1}));
  ASSERT_TRUE(store_->CreateKey({"k1", "a1", "", "hash-1", "", 1, std::nullopt}));
  disk_.set_failing(true);
  auto unavailable = ErrorCode::kUnavailable;
  EXPECT_TRUE(FailedWith(store_->CreateOrganization({"o2", "Other", 1}), unavailable));
  EXPECT_TRUE(FailedWith(store_->CreateAccount({"a2", "o1", "Bob", 1}), unavailable));
  Key second{"k2", "a1", "", "hash-2", "", 1, std::nullopt};
  EXPECT_TRUE(FailedWith(store_->CreateKey(second), unavailable));
  EXPECT_TRUE(FailedWith(store_->RevokeKey("a1", "k1", 2), unavailable));
  EXPECT_TRUE(FailedWith(store_->UpdateAccount({"a1", "o1", "Eve", 1}), unavailable));
  EXPECT_EQ(store_->GetAccount("a1")->name, "Alice");
  EXPECT_EQ(store_->ListOrganizations()->size(), 1U);
  EXPECT_EQ(store_->ListAccounts()->size(), 1U);
  EXPECT_EQ(store_->ListKeys("a1")->size(), 1U);
  EXPECT_TRUE(store_->FindKeyByHash("hash-1"));
  disk_.set_failing(false);
  EXPECT_TRUE(store_->CreateOrganization({"o2", "Other", 1}));
  EXPECT_TRUE(store_->CreateKey(second));
}

TEST_F(CommitFailureTest, AFullQueueRefusesFurtherWritesAndChangesNothing) {
  SqliteStore::Options options;
  options.writer.queue_max = 2;
  Open(std::move(options));
  disk_.HoldNextCommit();
  auto first = Start(store_->Acquire(Request("slack", 1)));
  disk_.WaitUntilHeld();  // the first is off the queue
  auto second = Start(store_->Acquire(Request("slack", 2)));
  auto third = Start(store_->Acquire(Request("slack", 3)));
  auto fourth = Start(store_->Acquire(Request("slack", 4)));
  EXPECT_TRUE(FailedWith(store_->CreateOrganization({"o1", "X", 1}), ErrorCode::kUnavailable));
  disk_.LetGo();
  context_.run();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
  EXPECT_TRUE(third.get());
  EXPECT_TRUE(FailedWith(fourth.get(), ErrorCode::kUnavailable));
  EXPECT_EQ(store_->CountSandboxes(), 3U);
}

TEST_F(CommitFailureTest, GroupsLargerThanTheLimitAreSplitInOrder) {
  SqliteStore::Options options;
  options.writer.group_max = 2;
  Open(std::move(options));
  disk_.HoldNextCommit();
  std::vector<std::future<Result<SandboxPtr>>> acquired;
  for (int number = 0; number < 7; ++number) {
    acquired.push_back(Start(store_->Acquire(Request("slack", number))));
  }
  disk_.LetGo();
  context_.run();
  for (auto& one : acquired) EXPECT_TRUE(one.get());
}

TEST_F(CommitFailureTest, ClosingTheStoreWritesWhatIsQueued) {
  disk_.HoldNextCommit();
  auto first = Start(store_->Acquire(Request("slack", 1)));
  auto second = Start(store_->Acquire(Request("slack", 2)));
  disk_.LetGo();
  Open({});
  EXPECT_EQ(store_->CountSandboxes(), 2U);
  context_.run();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

}  // namespace
}  // namespace viv::store
