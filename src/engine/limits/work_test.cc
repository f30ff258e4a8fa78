#include "engine/limits/work.h"

#include <gtest/gtest.h>

#include <atomic>

#include "db/sqlite.h"

namespace viv::engine {
namespace {

using std::chrono::milliseconds;

TEST(WorkTest, EndsAtEachOfItsLimits) {
  Work steps({.steps_max = 10});
  EXPECT_TRUE(steps.SpendSteps(10));
  EXPECT_FALSE(steps.SpendSteps(1));
  Work bytes({.bytes_max = 10});
  EXPECT_TRUE(bytes.SpendBytes(10));
  EXPECT_FALSE(bytes.SpendBytes(1));
  EXPECT_TRUE(bytes.ended());
  Work late({.time_max = milliseconds(-1)});
  EXPECT_FALSE(late.Check());
}

TEST(WorkTest, EndsWhenEitherFlagIsSet) {
  for (bool first : {true, false}) {
    std::atomic<bool> a{false};
    std::atomic<bool> b{false};
    Work work({}, &a, &b);
    EXPECT_TRUE(work.Check());
    (first ? a : b) = true;
    EXPECT_FALSE(work.Check());
    EXPECT_FALSE(work.SpendSteps(1));
  }
}

TEST(WorkTest, WhatIsDoneInsideCountsOutside) {
  Work outer({.bytes_max = 100});
  WorkScope outer_scope(outer);
  {
    Work inner({.bytes_max = 1000});
    WorkScope inner_scope(inner);
    EXPECT_TRUE(ChargeWork(100));
    EXPECT_FALSE(ChargeWork(1));
    EXPECT_TRUE(inner.ended());
  }
  EXPECT_TRUE(outer.ended());
  EXPECT_EQ(CurrentWork(), &outer);
}

TEST(WorkTest, TheEndOfTheInnerOneIsNotThatOfTheOuterOne) {
  Work outer({});
  WorkScope outer_scope(outer);
  {
    Work inner({.bytes_max = 1});
    WorkScope inner_scope(inner);
    EXPECT_FALSE(ChargeWork(2));
  }
  EXPECT_TRUE(ChargeWork(1 << 30));
}

TEST(WorkTest, WithoutAScopeNothingIsLimited) {
  EXPECT_EQ(CurrentWork(), nullptr);
  EXPECT_TRUE(ChargeWork(std::size_t{1} << 40));
  EXPECT_TRUE(CheckWork());
}

TEST(WorkTest, EndsStatementsBetweenStepsAndAtLargeValues) {
  auto connection = db::Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ASSERT_TRUE(connection);
  InstallWorkLimits(connection->get());
  const char* endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
  {
    Work work({.steps_max = 100'000});
    WorkScope scope(work);
    EXPECT_FALSE(connection->Execute(endless));
    EXPECT_TRUE(work.ended());
  }
  {
    // One step of SQLite's machine, but 200 times hex() of a large value.
    std::string sql = "SELECT length(hex(zeroblob(1000000)))";
    for (int i = 0; i < 200; ++i) sql += " + length(hex(zeroblob(1000000)))";
    Work work({.bytes_max = 10'000'000});
    WorkScope scope(work);
    EXPECT_FALSE(connection->Execute(sql));
    EXPECT_TRUE(work.ended());
  }
  EXPECT_TRUE(connection->Execute("SELECT 1"));
}

}  // namespace
}  // namespace viv::engine
