#pragma once
// A world with one guest database, for the tests: SALES.PUBLIC with two tables and a view, beside
// tables of ours that no guest may reach. The clock stands at 2024-06-01 12:00:00 UTC.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "db/sqlite.h"
#include "engine/guest_sql/catalog.h"
#include "engine/guest_sql/guest_sql.h"

namespace viv::engine::guest_sql {

constexpr std::int64_t kNowMs = 1'717'243'200'000;

inline db::Connection OpenWorld() {
  auto opened = db::Connection::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  EXPECT_TRUE(opened);
  db::Connection connection = *std::move(opened);
  auto now = [](sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_result_int64(context, kNowMs);
  };
  sqlite3_create_function(connection.get(), "now_ms", 0, SQLITE_UTF8, nullptr, now, nullptr,
                          nullptr);
  EXPECT_TRUE(connection.Execute(CatalogSchema()));
  EXPECT_TRUE(connection.Execute(
      "CREATE TABLE secret (token TEXT); INSERT INTO secret VALUES ('hidden');"
      "CREATE VIEW leak AS SELECT token FROM secret;"
      "CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('hidden')"));
  return connection;
}

class GuestTest : public testing::Test {
 protected:
  GuestTest() : world_(OpenWorld()) {
    Must("CREATE DATABASE sales");
    Must(
        "CREATE TABLE orders (id INT AUTOINCREMENT, customer VARCHAR(20) NOT NULL, amount "
        "NUMBER(10,2), paid BOOLEAN, "
        "placed DATE, shipped TIMESTAMP, extra VARIANT)");
    Must(
        "INSERT INTO orders (customer, amount, paid, placed, shipped, extra) SELECT column1, "
        "column2, column3, column4, "
        "column5, PARSE_JSON(column6) FROM VALUES "
        "('Ada', 10.50, TRUE, '2024-01-15', '2024-01-16 08:00:00', "
        "'{\"tags\":[\"a\",\"b\"],\"ship\":{\"City\":\"Rome\"}}'),"
        "('Bob', 20, FALSE, '2024-02-01', NULL, '{\"tags\":[]}'),"
        "('Ada', 30.25, TRUE, '2024-02-29', '2024-03-01T10:30:00', NULL),"
        "('Cy', NULL, NULL, '2024-03-31', '2024-04-02 23:59:59.5', '[1,2]')");
    Must("CREATE TABLE customers (name VARCHAR, country VARCHAR)");
    Must("INSERT INTO customers VALUES ('Ada', 'IT'), ('Bob', 'FR'), ('Dee', 'DE')");
    Must("CREATE VIEW paid_orders AS SELECT id, customer, amount FROM orders WHERE paid");
  }

  Result<Outcome> Try(std::string_view sql,
                      Access access = Access::kReadWrite,
                      const Limits& limits = {}) {
    auto outcome = guest_sql::Run(world_.get(), sql, session_, access, limits);
    if (outcome) session_ = outcome->session;
    return outcome;
  }

  Outcome Must(std::string_view sql) {
    auto outcome = Try(sql);
    EXPECT_TRUE(outcome) << sql << "\n" << (outcome ? "" : outcome.error().message);
    return outcome ? *std::move(outcome) : Outcome{};
  }

  // The rows as arrays of values, e.g. [[1,"Ada"]]; the error's text when there is one.
  std::string Rows(std::string_view sql) {
    auto outcome = Try(sql);
    if (!outcome) return outcome.error().message;
    json::array rows;
    for (const json::value& row : outcome->rows) {
      json::array values;
      for (const json::value& column : outcome->columns)
        values.push_back(row.at(column.get_string()));
      rows.push_back(std::move(values));
    }
    return json::serialize(rows);
  }

  // The one value of the one row.
  std::string Value(const std::string& expression) {
    auto outcome = Try("SELECT " + expression + " AS v");
    if (!outcome) return outcome.error().message;
    return json::serialize(outcome->rows[0].at("V"));
  }

  std::string Fails(std::string_view sql,
                    Access access = Access::kReadWrite,
                    const Limits& limits = {}) {
    auto outcome = Try(sql, access, limits);
    return outcome ? "succeeded" : outcome.error().message;
  }

  db::Connection world_;
  Session session_;
};

}  // namespace viv::engine::guest_sql
