#include "accounts/request_limiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace viv::accounts {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

TEST(RequestLimiterTest, AdmitsEverythingWithoutALimit) {
  RequestLimiter limiter;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limiter.Admit("alice", 5));
  limiter.SetLimit("bob", 1);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(limiter.Admit("alice", 5));
}

TEST(RequestLimiterTest, AdmitsASecondsWorthAtOnceAndThenAtTheRate) {
  RequestLimiter limiter;
  limiter.SetLimit("alice", 10);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limiter.Admit("alice", kSecond)) << i;
  auto wait = limiter.Admit("alice", kSecond);
  ASSERT_TRUE(wait);
  EXPECT_EQ(*wait, kSecond / 10);
  EXPECT_TRUE(limiter.Admit("alice", kSecond + kSecond / 10 - 1));
  EXPECT_FALSE(limiter.Admit("alice", kSecond + kSecond / 10));
  EXPECT_TRUE(limiter.Admit("alice", kSecond + kSecond / 10)) << "what was refused costs nothing";
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limiter.Admit("alice", 10 * kSecond)) << i;
  EXPECT_TRUE(limiter.Admit("alice", 10 * kSecond)) << "idle time is not saved up";
}

TEST(RequestLimiterTest, KeepsAccountsApart) {
  RequestLimiter limiter;
  limiter.SetLimit("alice", 1);
  limiter.SetLimit("bob", 1);
  EXPECT_FALSE(limiter.Admit("alice", kSecond));
  EXPECT_TRUE(limiter.Admit("alice", kSecond));
  EXPECT_FALSE(limiter.Admit("bob", kSecond));
}

TEST(RequestLimiterTest, TakesANewLimitAtOnce) {
  RequestLimiter limiter;
  limiter.SetLimit("alice", 0);
  EXPECT_TRUE(limiter.Admit("alice", kSecond)) << "0 admits nothing";
  limiter.SetLimit("alice", 2);
  EXPECT_FALSE(limiter.Admit("alice", kSecond));
  EXPECT_FALSE(limiter.Admit("alice", kSecond));
  EXPECT_TRUE(limiter.Admit("alice", kSecond));
  limiter.SetLimit("alice", std::nullopt);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(limiter.Admit("alice", kSecond));
}

TEST(RequestLimiterTest, AdmitsExactlyItsNumberWhenThreadsAskAtOnce) {
  RequestLimiter limiter;
  limiter.SetLimit("alice", 1000);
  std::atomic<int> admitted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        if (!limiter.Admit("alice", kSecond)) ++admitted;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(admitted, 1000);
}

TEST(RequestLimiterTest, FindsItsAccountsWhileOthersAreAdded) {
  RequestLimiter limiter;
  limiter.SetLimit("alice", 1);
  std::thread adding([&limiter] {
    for (int i = 0; i < 5000; ++i) limiter.SetLimit("other-" + std::to_string(i), 1);
  });
  int admitted = 0;
  for (int i = 0; i < 5000; ++i) admitted += limiter.Admit("alice", kSecond) ? 0 : 1;
  adding.join();
  EXPECT_EQ(admitted, 1);
  EXPECT_FALSE(limiter.Admit("other-4999", kSecond));
  EXPECT_TRUE(limiter.Admit("other-4999", kSecond));
}

}  // namespace
}  // namespace viv::accounts
