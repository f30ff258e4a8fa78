#include "engine/constraint.h"

#include <gtest/gtest.h>

#include "db/sqlite.h"

namespace viv::engine {
namespace {

class ConstraintTest : public testing::Test {
 protected:
  ConstraintTest() {
    EXPECT_TRUE(connection_.Execute(R"(
      PRAGMA foreign_keys = ON;
      CREATE TABLE owner (id INTEGER PRIMARY KEY, login TEXT UNIQUE);
      CREATE TABLE repo (owner_id INTEGER NOT NULL REFERENCES owner (id), name TEXT NOT NULL,
        stars INTEGER CHECK (stars >= 0), UNIQUE (owner_id, name));
      CREATE UNIQUE INDEX lower_login ON owner (lower(login));
      CREATE TRIGGER quota BEFORE INSERT ON repo WHEN NEW.name = 'full' BEGIN
        SELECT RAISE(ABORT, 'the quota is used up'); END;
      INSERT INTO owner VALUES (1, 'ann');
      INSERT INTO repo VALUES (1, 'a', 0);)"));
  }
  // What is told about a statement that fails; "" when it is no constraint of a table.
  std::string Told(const char* sql) {
    EXPECT_FALSE(connection_.Execute(sql));
    auto broken = FindBrokenConstraint(connection_.get());
    return broken ? DescribeConstraint(*broken) : "";
  }
  db::Connection connection_ =
      *db::Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
};

TEST_F(ConstraintTest, SaysWhatIsThereTwice) {
  EXPECT_EQ(Told("INSERT INTO repo VALUES (1, 'a', 0)"),
            "another repo has the same owner_id, name; give this one its own");
  EXPECT_EQ(Told("INSERT INTO owner VALUES (1, 'b')"),
            "another owner has the same id; give this one its own");
  EXPECT_EQ(Told("INSERT INTO owner VALUES (2, 'ANN')"),
            "this is there already; give it another name or id");
}

TEST_F(ConstraintTest, SaysWhatElseIsWrongWithoutSql) {
  EXPECT_EQ(Told("INSERT INTO repo VALUES (1, NULL, 0)"),
            "name is missing or names nothing that is there; give another");
  for (const char* sql :
       {"INSERT INTO repo VALUES (1, 'b', -1)", "INSERT INTO repo VALUES (7, 'b', 1)"}) {
    std::string told = Told(sql);
    EXPECT_NE(told, "");
    EXPECT_EQ(told.find("constraint"), std::string::npos) << told;
    EXPECT_EQ(told.find(">="), std::string::npos) << told;
  }
}

TEST_F(ConstraintTest, LeavesTheAppsOwnWordsAlone) {
  EXPECT_EQ(Told("INSERT INTO repo VALUES (1, 'full', 0)"), "");
  EXPECT_EQ(Told("SELECT nonsense"), "");
}

TEST_F(ConstraintTest, ShowsTheValuesItIsGiven) {
  BrokenConstraint broken;
  broken.values = {{"name", json::value("a")}, {"owner", json::value(nullptr)}};
  EXPECT_EQ(DescribeConstraint(broken),
            "name \"a\", owner left out are there already; use these together only once");
  broken.values = {{"name", json::value(std::string(1000, 'x'))}};
  EXPECT_LT(DescribeConstraint(broken).size(), 200u);
}

TEST_F(ConstraintTest, TellsInPlainWordsWhatAValueIsNot) {
  auto refusal = [&](const char* sql) {
    EXPECT_FALSE(connection_.Execute(sql)) << sql;
    return DescribeRefusal(connection_.get()).value_or("");
  };
  EXPECT_EQ(refusal("SELECT json_extract('{', '$.a')"),
            "The arguments are not valid: an object, a list or JSON text is expected");
  EXPECT_EQ(refusal("SELECT json_extract('{}', 'a')"),
            "The arguments are not valid: a text names no place within an object");
  EXPECT_EQ(refusal("SELECT 1 LIMIT 1e19"),
            "The arguments are not valid: a number is too large, or is not an integer");
  EXPECT_EQ(refusal("SELECT abs(-9223372036854775807 - 1)"),
            "The arguments are not valid: a number is too large");
  EXPECT_EQ(refusal("SELECT zeroblob(3000000000)"),
            "The arguments are not valid: a value is too long");
  EXPECT_EQ(refusal("SELECT 1 WHERE 'a' LIKE 'b' ESCAPE 'xy'"),
            "The arguments are not valid: a value cannot be used here");
}

}  // namespace
}  // namespace viv::engine
