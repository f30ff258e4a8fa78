#include "dialects/e2b/idempotency.h"

#include <gtest/gtest.h>

namespace viv::e2b {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

IdempotencyKeys::Claim ClaimOf(std::string key,
                               std::string body = "{}",
                               std::string account = "a") {
  return {.account_id = std::move(account), .key = std::move(key), .body = std::move(body)};
}

TEST(IdempotencyKeysTest, GiveTheSameSandboxForADay) {
  IdempotencyKeys keys;
  ASSERT_EQ(*keys.Begin(ClaimOf("k"), 0), std::nullopt);
  keys.Finish(ClaimOf("k"), "i1");
  EXPECT_EQ(*keys.Begin(ClaimOf("k"), kDayMs - 1), "i1");
  EXPECT_EQ(*keys.Begin(ClaimOf("k"), kDayMs), std::nullopt);
}

TEST(IdempotencyKeysTest, BelongToOneAccount) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k", "{}", "a"), 0));
  keys.Finish(ClaimOf("k", "{}", "a"), "i1");
  EXPECT_EQ(*keys.Begin(ClaimOf("k", "{}", "b"), 0), std::nullopt);
}

TEST(IdempotencyKeysTest, ReportOneUnderWayAsAConflict) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k"), 0));
  auto second = keys.Begin(ClaimOf("k"), 0);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
}

TEST(IdempotencyKeysTest, AreFreeAgainAfterAFailure) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k", "one"), 0));
  keys.Finish(ClaimOf("k", "one"), "");
  EXPECT_EQ(*keys.Begin(ClaimOf("k", "two"), 0), std::nullopt);
}

TEST(IdempotencyKeysTest, RefuseAnotherRequestUnderTheSameKey) {
  IdempotencyKeys keys;
  ASSERT_TRUE(keys.Begin(ClaimOf("k", "one"), 0));
  keys.Finish(ClaimOf("k", "one"), "i1");
  auto other = keys.Begin(ClaimOf("k", "two"), 0);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
}

TEST(IdempotencyKeysTest, ForgetTheOldestOfTooMany) {
  IdempotencyKeys keys(2);
  for (const char* key : {"1", "2", "3"}) {
    ASSERT_TRUE(keys.Begin(ClaimOf(key), 0));
    keys.Finish(ClaimOf(key), std::string("i") + key);
  }
  EXPECT_EQ(*keys.Begin(ClaimOf("3"), 0), "i3");
  EXPECT_EQ(*keys.Begin(ClaimOf("1"), 0), std::nullopt);
}

TEST(IdempotencyKeysTest, RefuseALongKey) {
  IdempotencyKeys keys;
  EXPECT_FALSE(keys.Begin(ClaimOf(std::string(256, 'k')), 0));
}

}  // namespace
}  // namespace viv::e2b
