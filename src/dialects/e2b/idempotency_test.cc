#include "dialects/e2b/idempotency.h"

#include <gtest/gtest.h>

namespace viv::e2b {
namespace {

using ClaimState = IdempotencyKeys::ClaimState;

constexpr std::int64_t kDayMs = 86'400'000;

IdempotencyKeys::Claim ClaimOf(std::string key,
                               std::string body = "{}",
                               std::string account = "a") {
  return {.account_id = std::move(account), .key = std::move(key), .body = std::move(body)};
}

ClaimState StandingOf(IdempotencyKeys& keys,
                      const IdempotencyKeys::Claim& claim,
                      std::int64_t now_ms = 0) {
  return keys.Begin(claim, now_ms)->state;
}

TEST(IdempotencyKeysTest, GiveTheSameSandboxForADay) {
  IdempotencyKeys keys;
  ASSERT_EQ(StandingOf(keys, ClaimOf("k")), ClaimState::kFirst);
  keys.Finish(ClaimOf("k"), "i1");
  EXPECT_EQ(keys.Begin(ClaimOf("k"), kDayMs - 1)->sandbox_id, "i1");
  EXPECT_EQ(StandingOf(keys, ClaimOf("k"), kDayMs), ClaimState::kFirst);
}

TEST(IdempotencyKeysTest, BelongToOneAccount) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k", "{}", "a"), 0));
  keys.Finish(ClaimOf("k", "{}", "a"), "i1");
  EXPECT_EQ(StandingOf(keys, ClaimOf("k", "{}", "b")), ClaimState::kFirst);
}

TEST(IdempotencyKeysTest, TellOfOneUnderWay) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k"), 0));
  EXPECT_EQ(StandingOf(keys, ClaimOf("k")), ClaimState::kInProgress);
}

TEST(IdempotencyKeysTest, AreFreeAgainAfterAFailure) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k", "one"), 0));
  keys.Finish(ClaimOf("k", "one"), "");
  EXPECT_EQ(StandingOf(keys, ClaimOf("k", "two")), ClaimState::kFirst);
}

TEST(IdempotencyKeysTest, TellOfAnotherRequestUnderTheSameKey) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k", "one"), 0));
  keys.Finish(ClaimOf("k", "one"), "i1");
  EXPECT_EQ(StandingOf(keys, ClaimOf("k", "two")), ClaimState::kMismatch);
}

TEST(IdempotencyKeysTest, ForgetTheOldestOfTooMany) {
  IdempotencyKeys keys(2);
  for (const char* key : {"1", "2", "3"}) {
    ASSERT_TRUE(keys.Begin(ClaimOf(key), 0));
    keys.Finish(ClaimOf(key), std::string("i") + key);
  }
  EXPECT_EQ(keys.Begin(ClaimOf("3"), 0)->sandbox_id, "i3");
  EXPECT_EQ(StandingOf(keys, ClaimOf("1")), ClaimState::kFirst);
}

TEST(IdempotencyKeysTest, RefuseKeysThatAreLongOrCannotBePrinted) {
  IdempotencyKeys keys;
  EXPECT_FALSE(keys.Begin(ClaimOf("a\tb"), 0));
  EXPECT_FALSE(keys.Begin(ClaimOf("k\xc3\xbc"), 0));
  EXPECT_FALSE(keys.Begin(ClaimOf(std::string(256, 'k')), 0));
}

}  // namespace
}  // namespace viv::e2b
