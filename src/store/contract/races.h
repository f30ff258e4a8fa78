#pragma once
// The contract under concurrency. Each racer is a thread with its own executor; all start together.
// Included by store/contract_test.h.

#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include "store/contract/fixture.h"

namespace viv::store {

class RaceContract : public StoreContract {
 protected:
  static constexpr int kRacers = 4;

  // Runs race(0) to race(kRacers - 1), each on a thread of its own.
  static void Race(const std::function<void(int)>& race) {
    std::latch start(kRacers);
    std::vector<std::thread> racers;
    for (int racer = 0; racer < kRacers; ++racer) {
      racers.emplace_back([&, racer] {
        start.arrive_and_wait();
        race(racer);
      });
    }
    for (std::thread& racer : racers) racer.join();
  }
};

TEST_P(RaceContract, NoTwoCallersGetTheSameIdleRow) {
  constexpr int kRows = 6;
  for (int number = 1; number <= kRows; ++number) MustAcquire(Request("slack", number));
  for (auto& [id, row] : Snapshot()) ASSERT_TRUE(Update(Released(row, 10), row.lease_id));
  std::mutex mutex;
  std::multiset<std::string> taken;
  Race([&](int racer) {
    for (int number = 0; number < kRows; ++number) {
      auto request = Request("slack", 100 + racer * kRows + number);
      request.sandboxes_max = kRows;
      auto acquired = Acquire(std::move(request));
      std::lock_guard lock(mutex);
      if (acquired) taken.insert((*acquired)->id);
      EXPECT_TRUE(acquired || FailedWith(acquired, ErrorCode::kLimitExceeded));
    }
  });
  EXPECT_EQ(taken.size(), static_cast<std::size_t>(kRows));
  EXPECT_EQ(std::set<std::string>(taken.begin(), taken.end()).size(), taken.size());
  EXPECT_EQ(store().CountSandboxes(), static_cast<std::size_t>(kRows));
  ExpectTheSameAfterReopen();
}

TEST_P(RaceContract, ARowHasOneHolderWhileManyAcquireAndRelease) {
  constexpr int kCycles = 30;
  std::mutex mutex;
  std::set<std::string> held;
  std::atomic<int> acquired_count = 0;
  Race([&](int racer) {
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      auto request = Request("slack", racer * kCycles + cycle);
      request.sandboxes_max = kRacers - 1;
      auto acquired = Acquire(std::move(request));
      if (!acquired) {
        EXPECT_EQ(acquired.error().code, ErrorCode::kLimitExceeded);
        continue;
      }
      ++acquired_count;
      {
        std::lock_guard lock(mutex);
        EXPECT_TRUE(held.insert((*acquired)->id).second) << (*acquired)->id;
      }
      EXPECT_EQ((*store().GetSandbox((*acquired)->id))->lease_id, (*acquired)->lease_id);
      {  // before the release: once that begins, another may have the row
        std::lock_guard lock(mutex);
        held.erase((*acquired)->id);
      }
      EXPECT_TRUE(Release(*acquired, cycle));
    }
  });
  EXPECT_GE(acquired_count, kCycles);
  EXPECT_LT(store().CountSandboxes(), static_cast<std::size_t>(kRacers));
  for (const auto& [id, row] : Snapshot()) EXPECT_EQ(row.state, SandboxState::kIdle) << id;
  ExpectTheSameAfterReopen();
}

TEST_P(RaceContract, OfSeveralReleasesOfALeaseOneWins) {
  for (int round = 0; round < 10; ++round) {
    SandboxPtr held = MustAcquire(Request("slack", round));
    std::atomic<int> released = 0;
    Race([&](int racer) {
      Status status = Release(held, racer);
      if (status) ++released;
      EXPECT_TRUE(status || FailedWith(status, ErrorCode::kConflict));
    });
    EXPECT_EQ(released, 1);
  }
  ExpectTheSameAfterReopen();
}

TEST_P(RaceContract, AStaleUpdateNeverUndoesALaterLease) {
  for (int round = 0; round < 10; ++round) {
    SandboxPtr old = MustAcquire(Request("slack", round * 10));
    SandboxPtr next;
    Race([&](int racer) {
      if (racer == 0) {
        EXPECT_TRUE(Release(old, 1));
        next = MustAcquire(Request("slack", round * 10 + 1));
        return;
      }
      Sandbox changed = *old;
      changed.settings_json = "{\"by\":" + std::to_string(racer) + "}";
      Status status = Update(changed, old->lease_id);
      EXPECT_TRUE(status || FailedWith(status, ErrorCode::kConflict));
    });
    SandboxPtr now = *store().GetSandbox(old->id);
    EXPECT_EQ(Fields(*now), Fields(*next));
    ASSERT_TRUE(Release(next, 2));
  }
  ExpectTheSameAfterReopen();
}

TEST_P(RaceContract, OneEmailGoesToOneCaller) {
  std::atomic<int> winners = 0;
  Race([&](int racer) {
    auto request = Request("slack", racer);
    request.email = "shared@slack.test";
    auto acquired = Acquire(std::move(request));
    if (acquired) ++winners;
    EXPECT_TRUE(acquired || FailedWith(acquired, ErrorCode::kConflict));
  });
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(store().CountSandboxes(), 1U);
}

TEST_P(RaceContract, ReadersSeeWholeRowsWhileOthersWrite) {
  MustAcquire(Request("slack", 1));
  Race([&](int racer) {
    SandboxStore::ListQuery query;
    query.account_id = "alice";
    for (int i = 0; i < 30; ++i) {
      if (racer == 0) {
        SandboxPtr row = *store().GetSandbox("id-slack-1");
        Sandbox changed = *row;
        changed.updated_at_us = i + 2;
        changed.settings_json = std::to_string(i + 2);
        EXPECT_TRUE(Update(changed, row->lease_id));
        continue;
      }
      auto page = store().ListSandboxes(query);
      ASSERT_EQ(page.sandboxes.size(), 1U);
      const Sandbox& row = *page.sandboxes[0];
      EXPECT_TRUE(row.updated_at_us == 1 || std::to_string(row.updated_at_us) == row.settings_json);
    }
  });
}

}  // namespace viv::store
