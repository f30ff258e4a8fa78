// The functions that take the place of SQLite's own give what SQLite's own give.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "db/sqlite.h"
#include "engine/functions/functions.h"
#include "engine/limits/work.h"

namespace viv::engine {
namespace {

db::Connection OpenPlain() {
  auto connection = db::Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  EXPECT_TRUE(connection);
  return *std::move(connection);
}

db::Connection OpenOurs() {
  db::Connection connection = OpenPlain();
  EXPECT_TRUE(RegisterFunctions(connection.get()));
  EXPECT_TRUE(RegisterReadOnlyFunctions(connection.get()));
  return connection;
}

// The first column's type and text, or that it failed.
std::string AnswerOf(db::Connection& connection, const std::string& sql) {
  auto statement = connection.Prepare(sql);
  if (!statement) return "refused";
  auto row = statement->Step();
  if (!row) return "failed";
  return std::to_string(sqlite3_column_type(statement->get(), 0)) + ":" +
         std::string(statement->Text(0));
}

std::string RandomText(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {
      "a",     "A", "b",        "B",        "ab",           "%", "_", "*", "?", "[", "]", "^", "-",
      "[a-c]", " ", "\xc3\xa9", "\xc3\x89", "\xe2\x82\xac", "1"};
  std::string text;
  for (std::size_t i = random() % 7; i > 0; --i) text += kPieces[random() % kPieces.size()];
  return text;
}

std::string RandomValue(std::mt19937& random) {
  switch (random() % 12) {
    case 0:
      return "NULL";
    case 1:
      return std::to_string(static_cast<int>(random() % 30) - 15);
    case 2:
      return "1.5";
    case 3:
      return "x'6161" + std::string(random() % 2 == 0 ? "62" : "") + "'";
    default:
      return "'" + RandomText(random) + "'";
  }
}

TEST(SqliteTextTest, AnswersAsSqliteDoes) {
  db::Connection plain = OpenPlain();
  db::Connection ours = OpenOurs();
  std::mt19937 random(7);
  auto number = [&] { return std::to_string(static_cast<int>(random() % 12) - 6); };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = RandomValue(random);
    const std::string b = RandomValue(random);
    const std::string c = RandomValue(random);
    const std::string calls[] = {"instr(" + a + ", " + b + ")",
                                 "replace(" + a + ", " + b + ", " + c + ")",
                                 "trim(" + a + ")",
                                 "trim(" + a + ", " + b + ")",
                                 "ltrim(" + a + ", " + b + ")",
                                 "rtrim(" + a + ", " + b + ")",
                                 a + " LIKE " + b,
                                 a + " LIKE " + b + " ESCAPE 'a'",
                                 a + " LIKE " + b + " ESCAPE '_'",
                                 a + " GLOB " + b,
                                 "length(" + a + ")",
                                 "substr(" + a + ", " + number() + ")",
                                 "substr(" + a + ", " + number() + ", " + number() + ")",
                                 a + " = " + b + " COLLATE NOCASE",
                                 a + " < " + b + " COLLATE NOCASE"};
    const std::string sql = "SELECT " + calls[random() % std::size(calls)];
    ASSERT_EQ(AnswerOf(ours, sql), AnswerOf(plain, sql)) << sql;
  }
}

TEST(SqliteTextTest, PatchesObjectsAsSqliteDoes) {
  db::Connection plain = OpenPlain();
  db::Connection ours = OpenOurs();
  for (const char* sql :
       {R"(SELECT json_patch('{"a":1,"b":{"c":2}}', '{"b":{"c":null,"d":1.0},"a":null,"e":[1]}'))",
        R"(SELECT json_patch('{}', json_object('a', NULL, 'b', 1)))",
        R"(SELECT json_object('x', json_patch('{}', '{"a":1}')))",
        "SELECT json_patch('[1]', '[2]')", "SELECT json_patch(NULL, '{}')",
        "SELECT json_patch('nonsense', '{}')"}) {
    EXPECT_EQ(AnswerOf(ours, sql), AnswerOf(plain, sql)) << sql;
  }
}

// Each of these ran for minutes, with nobody able to stop it.
TEST(SqliteTextTest, WhatWasQuadraticEnds) {
  db::Connection ours = OpenOurs();
  InstallWorkLimits(ours.get());
  const std::string many = "replace(hex(zeroblob(200000)), '00', ";
  const std::vector<std::string> calls = {
      "instr(zeroblob(800000), CAST(zeroblob(400000) || 'x' AS BLOB))",
      "instr(" + many + "'a'), " + many + "'a') || 'b')",
      "replace(" + many + "'aaaa'), " + many + "'a') || 'b', '')",
      "length(trim(" + many + "'a'), " + many + "'b') || 'a'))",
      many + "'aaaa') LIKE '%' || substr(" + many + "'a'), 1, 40000) || 'b'",
      many + "'aaaa') GLOB '*' || substr(" + many + "'a'), 1, 40000) || 'b'",
      "json_patch('{' || " + many + "'\"a\":1,') || '\"b\":1}', '{' || " + many +
          "'\"c\":1,') || '\"b\":1}')"};
  for (const std::string& call : calls) {
    // A pattern is stopped by its steps, of which there are enough sooner than of bytes.
    const bool pattern = call.find(" LIKE ") != call.npos || call.find(" GLOB ") != call.npos;
    Work work({.bytes_max = std::int64_t{1} << (pattern ? 25 : 28)});
    WorkScope scope(work);
    AnswerOf(ours, "SELECT " + call);
  }
}

}  // namespace
}  // namespace viv::engine
