#include "http/body_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http/json_values.h"

namespace viv::http {
namespace {

TEST(BodyBudgetTest, GivesNobodyMoreThanHalf) {
  BodyBudget budget(100);
  BodyBudget::Charge first, second, third;
  EXPECT_TRUE(budget.Raise(first, "a", 30));
  EXPECT_TRUE(budget.Raise(second, "a", 20));
  EXPECT_FALSE(budget.Raise(third, "a", 1));
  EXPECT_TRUE(budget.Raise(third, "b", 50));
  EXPECT_EQ(budget.used(), 100U);
}

TEST(BodyBudgetTest, GivesOutNoMoreThanThereIs) {
  BodyBudget budget(100);
  std::vector<std::unique_ptr<BodyBudget::Charge>> charges;
  for (int owner = 0; owner < 10; ++owner) {
    charges.push_back(std::make_unique<BodyBudget::Charge>());
    ASSERT_TRUE(budget.Raise(*charges.back(), std::to_string(owner), 10));
  }
  BodyBudget::Charge late;
  EXPECT_FALSE(budget.Raise(late, "late", 1));
  charges.pop_back();
  EXPECT_TRUE(budget.Raise(late, "late", 10));
}

TEST(BodyBudgetTest, ARaiseThatFailsLeavesTheChargeAsItWas) {
  BodyBudget budget(100);
  BodyBudget::Charge charge;
  ASSERT_TRUE(budget.Raise(charge, "a", 40));
  EXPECT_TRUE(budget.Raise(charge, "a", 10)) << "less is there already";
  EXPECT_FALSE(budget.Raise(charge, "a", 51));
  EXPECT_FALSE(budget.Raise(charge, "a", std::size_t{0} - 1));
  EXPECT_EQ(charge.bytes(), 40U);
  charge.Release();
  charge.Release();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(BodyBudgetTest, OnlySoManyWait) {
  BodyBudget budget(100);
  std::vector<std::unique_ptr<BodyBudget::Waiter>> waiters;
  for (int i = 0; i < 256; ++i) {
    waiters.push_back(std::make_unique<BodyBudget::Waiter>(budget));
    ASSERT_TRUE(waiters.back()->may_wait());
  }
  EXPECT_FALSE(BodyBudget::Waiter(budget).may_wait());
  waiters.pop_back();
  EXPECT_TRUE(BodyBudget::Waiter(budget).may_wait());
}

std::size_t CountOf(std::string_view text, std::size_t piece_bytes) {
  JsonValueCount count;
  for (std::size_t at = 0; at < text.size(); at += piece_bytes)
    count.Feed(text.substr(at, piece_bytes));
  return count.count();
}

TEST(JsonValueCountTest, CountsWhatIsOutsideOfTexts) {
  const std::string text = R"({"a,\"[{":[1,2,"x:y\\"],"b":{}})";
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(CountOf(text, piece), 9U) << piece;
  EXPECT_EQ(CountOf("", 1), 1U);
  EXPECT_EQ(CountOf(R"("no end \)", 3), 1U);
}

}  // namespace
}  // namespace viv::http
