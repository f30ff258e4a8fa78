#include "db/migrations.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace viv::db {
namespace {

constexpr Migration kOne{1, "first", "CREATE TABLE a (x); CREATE TABLE b (x)"};
constexpr Migration kTwo{2, "second", "ALTER TABLE a ADD COLUMN y"};

class MigrationsTest : public ::testing::Test {
 protected:
  MigrationsTest()
      : connection_(*Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) {}

  Status Apply(std::vector<Migration> migrations) { return Migrate(connection_, migrations); }

  std::string Query(std::string_view sql) {
    auto statement = connection_.Prepare(sql);
    if (!statement) return statement.error().message;
    auto row = statement->Step();
    return row && *row ? std::string(statement->Text(0)) : "no row";
  }

  Connection connection_;
};

TEST_F(MigrationsTest, AppliesAllInOrderAndWritesThemDown) {
  ASSERT_TRUE(Apply({kOne, kTwo}));
  EXPECT_EQ(Query("SELECT group_concat(version || name) FROM schema_migration"), "1first,2second");
  EXPECT_EQ(Query("SELECT count(*) FROM pragma_table_info('a')"), "2");
  EXPECT_EQ(Query("SELECT applied_at LIKE '20__-__-__T%' FROM schema_migration"), "1");
}

TEST_F(MigrationsTest, AppliesOnlyWhatIsMissing) {
  ASSERT_TRUE(Apply({kOne}));
  ASSERT_TRUE(Apply({kOne, kTwo}));
  ASSERT_TRUE(Apply({kOne, kTwo}));
  EXPECT_EQ(Query("SELECT count(*) FROM schema_migration"), "2");
}

TEST_F(MigrationsTest, AnEmptyListIsFine) {
  EXPECT_TRUE(Apply({}));
}

TEST_F(MigrationsTest, RefusesADatabaseOfANewerProgram) {
  ASSERT_TRUE(Apply({kOne, kTwo}));
  Status status = Apply({kOne});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(status.error().message.find("newer version"), std::string::npos);
}

TEST_F(MigrationsTest, RefusesAnEditedMigration) {
  ASSERT_TRUE(Apply({kOne}));
  Status status = Apply({Migration{1, "first", "CREATE TABLE a (x, y)"}, kTwo});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("migration 1 (first)"), std::string::npos);
  EXPECT_NE(status.error().message.find("edited"), std::string::npos);
  EXPECT_EQ(Query("SELECT count(*) FROM schema_migration"), "1");
}

TEST_F(MigrationsTest, RefusesAListWithAGapOrOutOfOrder) {
  EXPECT_FALSE(Apply({kTwo}));
  EXPECT_FALSE(Apply({kTwo, kOne}));
  EXPECT_FALSE(Apply({kOne, kOne}));
  EXPECT_EQ(Query("SELECT count(*) FROM sqlite_schema"), "0");
}

TEST_F(MigrationsTest, RefusesADatabaseWithAGap) {
  ASSERT_TRUE(Apply({kOne, kTwo}));
  ASSERT_TRUE(connection_.Execute("DELETE FROM schema_migration WHERE version = 1"));
  Status status = Apply({kOne, kTwo});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("not number 1"), std::string::npos);
}

TEST_F(MigrationsTest, AFailingMigrationLeavesNothingBehindAndKeepsTheEarlierOnes) {
  Status status = Apply({kOne, Migration{2, "broken", "CREATE TABLE c (x); SELEKT 1"}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message.rfind("migration 2 (broken): ", 0), 0U);
  EXPECT_EQ(Query("SELECT count(*) FROM sqlite_schema WHERE name = 'c'"), "0");
  EXPECT_EQ(Query("SELECT group_concat(version) FROM schema_migration"), "1");
}

TEST_F(MigrationsTest, RefusesAMigrationThatEndsItsTransaction) {
  Status status = Apply({Migration{1, "sly", "CREATE TABLE a (x); COMMIT"}});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("ended its own transaction"), std::string::npos);
}

}  // namespace
}  // namespace viv::db
