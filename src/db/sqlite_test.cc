#include "db/sqlite.h"

#include <gtest/gtest.h>

#include <climits>

namespace viv::db {
namespace {

Connection OpenMemory() {
  auto connection = Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  EXPECT_TRUE(connection) << connection.error().message;
  return *std::move(connection);
}

Statement MustPrepare(Connection& connection, std::string_view sql) {
  auto statement = connection.Prepare(sql);
  EXPECT_TRUE(statement) << statement.error().message;
  return *std::move(statement);
}

std::int64_t Count(Connection& connection) {
  Statement count = MustPrepare(connection, "SELECT count(*) FROM t");
  EXPECT_TRUE(count.Step());
  return count.Integer(0);
}

TEST(ConnectionTest, RefusesAPathThatCannotBeOpenedAndNamesIt) {
  auto connection = Connection::Open("/nonexistent/x.db", SQLITE_OPEN_READWRITE);
  ASSERT_FALSE(connection);
  EXPECT_EQ(connection.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(connection.error().message.find("open /nonexistent/x.db: "), std::string::npos);
}

TEST(ConnectionTest, ExecutesSeveralStatementsWithCommentsBetween) {
  Connection connection = OpenMemory();
  EXPECT_TRUE(connection.Execute("CREATE TABLE t (a); -- one\n;; INSERT INTO t VALUES (1), (2); "));
  EXPECT_EQ(Count(connection), 2);
  EXPECT_TRUE(connection.Execute(""));
  EXPECT_TRUE(connection.Execute(" -- nothing"));
}

TEST(ConnectionTest, ExecuteStopsAtTheFirstFailureWithItsReason) {
  Connection connection = OpenMemory();
  Status status = connection.Execute("CREATE TABLE t (a); SELEKT 1; INSERT INTO t VALUES (1)");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("SELEKT"), std::string::npos);
  EXPECT_EQ(Count(connection), 0);
}

TEST(ConnectionTest, RefusesSqlWithANulByte) {
  Connection connection = OpenMemory();
  Status status = connection.Execute(std::string_view("SELECT 1;\0SELECT 2", 18));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

TEST(ConnectionTest, PreparesExactlyOneStatement) {
  Connection connection = OpenMemory();
  EXPECT_TRUE(connection.Prepare("SELECT 1; -- and a comment"));
  for (std::string_view sql : {"", " ", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1;;SELECT 2"}) {
    auto statement = connection.Prepare(sql);
    ASSERT_FALSE(statement) << sql;
    EXPECT_EQ(statement.error().code, ErrorCode::kInvalidArgument) << sql;
  }
}

TEST(StatementTest, GivesBackWhatWasBound) {
  Connection connection = OpenMemory();
  Statement select = MustPrepare(connection, "SELECT ?, ?, ?, ?, ?");
  select.Bind(1, std::string_view("a\0b", 3));
  select.Bind(2, std::int64_t{INT64_MIN});
  select.Bind(3, 0.5);
  select.BindNull(4);
  select.Bind(5, std::string_view());
  auto row = select.Step();
  ASSERT_TRUE(row && *row);
  EXPECT_EQ(select.Text(0), std::string_view("a\0b", 3));
  EXPECT_EQ(select.Integer(1), INT64_MIN);
  EXPECT_EQ(select.Real(2), 0.5);
  EXPECT_TRUE(select.IsNull(3));
  EXPECT_EQ(select.Text(3), "");
  EXPECT_FALSE(select.IsNull(4)) << "an empty view is empty text, not NULL";
}

TEST(StatementTest, ReportsABadBindAtTheNextStepAndForgetsItAtReset) {
  Connection connection = OpenMemory();
  Statement select = MustPrepare(connection, "SELECT ?");
  select.Bind(2, "there is no second parameter");
  EXPECT_FALSE(select.Step());
  select.Reset();
  select.Bind(1, 7);
  EXPECT_TRUE(select.Step());
  EXPECT_EQ(select.Integer(0), 7);
}

TEST(StatementTest, ResetClearsTheBindings) {
  Connection connection = OpenMemory();
  Statement select = MustPrepare(connection, "SELECT ?");
  select.Bind(1, 7);
  EXPECT_TRUE(select.Step());
  select.Reset();
  EXPECT_TRUE(select.Step());
  EXPECT_TRUE(select.IsNull(0));
}

TEST(StatementTest, SaysConflictForAViolatedConstraint) {
  Connection connection = OpenMemory();
  ASSERT_TRUE(connection.Execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)"));
  Statement insert = MustPrepare(connection, "INSERT INTO t VALUES (1)");
  auto row = insert.Step();
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, ErrorCode::kConflict);
  EXPECT_NE(row.error().message.find("UNIQUE constraint failed: t.a"), std::string::npos);
}

TEST(StatementTest, AnEmptyStatementFailsInsteadOfCrashing) {
  Statement none;
  none.Reset();
  EXPECT_FALSE(none.Step());
}

TEST(TransactionTest, IsRolledBackUnlessCommitted) {
  Connection connection = OpenMemory();
  ASSERT_TRUE(connection.Execute("CREATE TABLE t (a)"));
  {
    auto transaction = Transaction::Begin(connection);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection.Execute("INSERT INTO t VALUES (1)"));
  }
  EXPECT_EQ(Count(connection), 0);
  auto transaction = Transaction::Begin(connection);
  ASSERT_TRUE(transaction);
  ASSERT_TRUE(connection.Execute("INSERT INTO t VALUES (1)"));
  EXPECT_TRUE(transaction->Commit());
  EXPECT_EQ(Count(connection), 1);
}

TEST(TransactionTest, DoesNotBeginInsideAnother) {
  Connection connection = OpenMemory();
  auto outer = Transaction::Begin(connection);
  ASSERT_TRUE(outer);
  auto inner = Transaction::Begin(connection);
  ASSERT_FALSE(inner);
  EXPECT_EQ(inner.error().message.rfind("begin: ", 0), 0U);
}

TEST(TransactionTest, AFailedCommitIsRolledBack) {
  Connection connection = OpenMemory();
  ASSERT_TRUE(
      connection.Execute("PRAGMA foreign_keys = ON; CREATE TABLE p (id INTEGER PRIMARY KEY);"
                         "CREATE TABLE t (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)"));
  {
    auto transaction = Transaction::Begin(connection);
    ASSERT_TRUE(transaction);
    ASSERT_TRUE(connection.Execute("INSERT INTO t VALUES (1)"));
    EXPECT_FALSE(transaction->Commit());
  }
  EXPECT_EQ(Count(connection), 0);
}

}  // namespace
}  // namespace viv::db
