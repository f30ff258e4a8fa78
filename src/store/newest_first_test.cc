#include "store/newest_first.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <utility>

namespace viv::store {
namespace {

SandboxPtr MakeRow(std::int64_t updated_at_us, int number) {
  Sandbox row;
  row.id = "id-" + std::to_string(number);
  row.updated_at_us = updated_at_us;
  return std::make_shared<const Sandbox>(std::move(row));
}

std::vector<std::string> Ids(const std::vector<SandboxPtr>& rows) {
  std::vector<std::string> ids;
  for (const SandboxPtr& row : rows) ids.push_back(row->id);
  return ids;
}

TEST(NewestFirstTest, IsEmptyAtFirst) {
  NewestFirst order;
  EXPECT_EQ(order.size(), 0U);
  EXPECT_TRUE(order.Page(0, 10).empty());
  std::size_t total = 7;
  EXPECT_TRUE(order.Page([](const Sandbox&) { return true; }, 0, 10, total).empty());
  EXPECT_EQ(total, 0U);
}

// A plain sorted set says what is right, over many chunks that grow, split, erode and merge.
TEST(NewestFirstTest, AgreesWithASortedSetUnderRandomChanges) {
  using Model = std::set<std::pair<std::int64_t, std::string>, std::greater<>>;
  std::mt19937 random(1);
  NewestFirst order;
  Model model;
  std::vector<SandboxPtr> rows;
  for (int step = 0; step < 20'000; ++step) {
    const bool grow = step < 8'000 || (step < 12'000 && random() % 2 == 0);
    if (grow || rows.empty()) {
      SandboxPtr row = MakeRow(static_cast<std::int64_t>(random() % 3'000), step);
      model.emplace(row->updated_at_us, row->id);
      rows.push_back(row);
      order.Insert(row);
    } else {
      std::swap(rows[random() % rows.size()], rows.back());
      model.erase({rows.back()->updated_at_us, rows.back()->id});
      order.Erase(*rows.back());
      rows.pop_back();
    }
    ASSERT_EQ(order.size(), model.size());
    if (step % 1'000 != 999) continue;
    std::vector<std::string> expected;
    for (const auto& [time, id] : model) expected.push_back(id);
    ASSERT_EQ(Ids(order.Page(0, SIZE_MAX)), expected);
    if (expected.size() < 700) continue;
    const std::vector<std::string> middle(expected.begin() + 600, expected.begin() + 700);
    EXPECT_EQ(Ids(order.Page(600, 100)), middle);
    std::size_t total = 0;
    EXPECT_EQ(Ids(order.Page([](const Sandbox&) { return true; }, 600, 100, total)), middle);
    EXPECT_EQ(total, expected.size());
  }
}

TEST(NewestFirstTest, AppendsTheNewestAndErasesTheOldestWithoutLosingAny) {
  NewestFirst order;
  std::vector<SandboxPtr> rows;
  for (int number = 0; number < 2'000; ++number) {
    rows.push_back(MakeRow(number, number));
    order.Insert(rows.back());
  }
  for (int number = 0; number < 1'999; ++number) {
    order.Erase(*rows[static_cast<std::size_t>(number)]);
    ASSERT_EQ(order.Page(0, 1)[0], rows.back());
  }
  EXPECT_EQ(order.size(), 1U);
}

}  // namespace
}  // namespace viv::store
