#include "db/memory_limit.h"

#include <gtest/gtest.h>

#include "db/sqlite.h"

namespace viv::db {
namespace {

Connection OpenCounted() {
  auto connection = Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  EXPECT_TRUE(connection);
  return *std::move(connection);
}

int RunCode(Connection& connection, const std::string& sql) {
  return sqlite3_exec(connection.get(), sql.c_str(), nullptr, nullptr, nullptr);
}

TEST(MemoryLimitTest, AStatementThatTakesMoreEndsAndTheConnectionGoesOn) {
  Connection connection = OpenCounted();
  {
    MemoryLimit limit(8 << 20);
    EXPECT_EQ(RunCode(connection, "SELECT hex(zeroblob(1000000))"), SQLITE_OK);
    EXPECT_EQ(RunCode(connection, "SELECT hex(zeroblob(10000000))"), SQLITE_NOMEM);
    EXPECT_EQ(RunCode(connection,
                      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100) "
                      "SELECT randomblob(1000000) AS b FROM c ORDER BY b"),
              SQLITE_NOMEM);
    EXPECT_EQ(RunCode(connection, "SELECT 1"), SQLITE_OK);
  }
  EXPECT_EQ(RunCode(connection, "SELECT hex(zeroblob(10000000))"), SQLITE_OK);
}

TEST(MemoryLimitTest, TheTighterOfTwoHolds) {
  Connection connection = OpenCounted();
  MemoryLimit tight(4 << 20);
  MemoryLimit wide(1 << 30);
  EXPECT_EQ(RunCode(connection, "SELECT hex(zeroblob(10000000))"), SQLITE_NOMEM);
}

TEST(MemoryLimitTest, MemoryOfOthersCounts) {
  MemoryLimit limit(1000);
  EXPECT_TRUE(ChargeMemory(600));
  EXPECT_FALSE(ChargeMemory(600));
  UnchargeMemory(600);
  EXPECT_TRUE(ChargeMemory(600));
  UnchargeMemory(600);
}

TEST(MemoryLimitTest, LargeAllocationsAreAskedFor) {
  Connection connection = OpenCounted();
  static std::size_t asked;
  asked = 0;
  {
    MemoryLimit limit(1 << 30, [](std::size_t bytes) {
      asked += bytes;
      return asked < 3'000'000;
    });
    EXPECT_EQ(RunCode(connection, "SELECT hex(zeroblob(10000))"), SQLITE_OK);
    EXPECT_EQ(RunCode(connection, "SELECT hex(zeroblob(10000000))"), SQLITE_NOMEM);
  }
  EXPECT_GT(asked, 3'000'000U);
}

TEST(ConnectionGuardTest, TheTokenizerFunctionOfFts3IsOff) {
  Connection connection = OpenCounted();
  for (const char* sql :
       {"SELECT fts3_tokenizer('simple')", "SELECT fts3_tokenizer(?1)",
        "SELECT fts3_tokenizer('x', x'4141414141414141')", "SELECT fts3_tokenizer(?1, ?1)"}) {
    auto statement = connection.Prepare(sql);
    ASSERT_TRUE(statement) << sql;
    if (sqlite3_bind_parameter_count(statement->get()) > 0) statement->Bind(1, "simple");
    EXPECT_FALSE(statement->Step()) << sql;
  }
}

}  // namespace
}  // namespace viv::db
