#include "engine/guest_sql/guest_sql_for_test.h"

namespace viv::engine::guest_sql {
namespace {

class WriteTest : public GuestTest {};

TEST_F(WriteTest, InsertsCastValuesAndDefaults) {
  Must(
      "CREATE TABLE t (id INT IDENTITY(10, 5), name VARCHAR(5) DEFAULT 'none', n NUMBER(5,1), at "
      "TIMESTAMP DEFAULT "
      "CURRENT_TIMESTAMP(), ok BOOLEAN DEFAULT TRUE)");
  auto outcome = Must("INSERT INTO t (n, ok) VALUES ('1.25', 'no'), (2, DEFAULT)");
  EXPECT_EQ(json::serialize(outcome.rows), R"([{"number of rows inserted":2}])");
  EXPECT_EQ(outcome.rows_affected, 2);
  Must("INSERT INTO t (name) SELECT name FROM customers WHERE name = 'Bob'");
  EXPECT_EQ(
      Rows("SELECT * FROM t ORDER BY id"),
      R"([[10,"none",1.3E0,"2024-06-01 12:00:00",false],[15,"none",2,"2024-06-01 12:00:00",true],)"
      R"([20,"Bob",null,"2024-06-01 12:00:00",true]])");
}

TEST_F(WriteTest, RefusesWhatAColumnCannotHold) {
  EXPECT_EQ(Fails("INSERT INTO orders (amount) VALUES (1)"),
            "100072 (22000): NULL result in a non-nullable column");
  EXPECT_EQ(Fails("INSERT INTO orders (customer, amount) VALUES ('x', 'abc')"),
            "100038 (22018): Numeric value 'abc' is not recognized");
  EXPECT_EQ(Fails("INSERT INTO orders (customer) VALUES ('123456789012345678901')"),
            "100078 (22000): String '123456789012345678901' is too long and would be truncated");
  EXPECT_EQ(Fails("INSERT INTO orders (customer, amount) VALUES ('x', 123456789)"),
            "100132 (22003): Numeric value '123456789' is out of range");
  EXPECT_EQ(Fails("INSERT INTO customers VALUES (1)"),
            "002020 (21S01): SQL compilation error:\nInsert value list does not match column list "
            "expecting 2 but got 1");
  EXPECT_EQ(Fails("INSERT INTO customers (name, nope) VALUES (1, 2)"),
            "000904 (42000): SQL compilation error: error line 1 at position 29\ninvalid "
            "identifier 'NOPE'");
  EXPECT_EQ(Fails("INSERT INTO paid_orders VALUES (1)"),
            "002098 (42601): SQL compilation error:\nPAID_ORDERS is not a table.");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders"), "[[4]]");
}

TEST_F(WriteTest, Updates) {
  auto outcome = Must("UPDATE orders SET amount = amount + 1, paid = TRUE WHERE customer = 'Ada'");
  EXPECT_EQ(json::serialize(outcome.rows),
            R"([{"number of rows updated":2,"number of multi-joined rows updated":0}])");
  EXPECT_EQ(Rows("SELECT amount FROM orders WHERE id = 1"), "[[1.15E1]]");
  Must(
      "UPDATE orders o SET customer = c.country FROM customers c WHERE c.name = o.customer AND "
      "o.id = 2");
  EXPECT_EQ(Rows("SELECT customer FROM orders WHERE id = 2"), R"([["FR"]])");
  EXPECT_EQ(Fails("UPDATE orders SET customer = NULL"),
            "100072 (22000): NULL result in a non-nullable column");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders WHERE customer IS NULL"), "[[0]]");
}

TEST_F(WriteTest, Deletes) {
  EXPECT_EQ(Must("DELETE FROM orders WHERE id = 1").rows_affected, 1);
  EXPECT_EQ(
      Must("DELETE FROM orders USING customers c WHERE c.name = orders.customer").rows_affected, 2);
  EXPECT_EQ(Rows("SELECT id FROM orders"), "[[4]]");
  EXPECT_EQ(Must("TRUNCATE TABLE orders").message, "Statement executed successfully.");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders"), "[[0]]");
}

TEST_F(WriteTest, Merges) {
  auto outcome = Must(
      "MERGE INTO customers t USING (SELECT column1 AS name, column2 AS country FROM VALUES "
      "('Ada', 'US'), ('Bob', NULL), "
      "('Eve', 'UK')) s ON t.name = s.name WHEN MATCHED AND s.country IS NULL THEN DELETE WHEN "
      "MATCHED THEN UPDATE SET "
      "t.country = s.country WHEN NOT MATCHED THEN INSERT (name, country) VALUES (s.name, "
      "s.country)");
  EXPECT_EQ(
      json::serialize(outcome.rows),
      R"([{"number of rows inserted":1,"number of rows updated":1,"number of rows deleted":1}])");
  EXPECT_EQ(Rows("SELECT * FROM customers ORDER BY name"),
            R"([["Ada","US"],["Dee","DE"],["Eve","UK"]])");
}

TEST_F(WriteTest, OverwritesATable) {
  EXPECT_EQ(Must("INSERT OVERWRITE INTO customers VALUES ('Zed', 'XX')").rows_affected, 1);
  EXPECT_EQ(Rows("SELECT name FROM customers"), R"([["Zed"]])");
}

TEST_F(WriteTest, AFailedStatementLeavesNoTrace) {
  ASSERT_TRUE(world_.Execute("BEGIN; INSERT INTO secret VALUES ('kept')"));
  EXPECT_NE(Fails("INSERT INTO customers SELECT name, 1 / (CASE name WHEN 'Dee' THEN 0 ELSE 1 END) "
                  "FROM customers"),
            "succeeded");
  EXPECT_NE(Fails("CREATE OR REPLACE TABLE customers AS SELECT 1 / 0 AS x"), "succeeded");
  EXPECT_EQ(Rows("SELECT count(*) FROM customers"), "[[3]]");
  EXPECT_EQ(sqlite3_get_autocommit(world_.get()), 0);
  ASSERT_TRUE(world_.Execute("COMMIT"));
}

TEST_F(WriteTest, NeverEndsTheCallersTransaction) {
  ASSERT_TRUE(world_.Execute("BEGIN"));
  Must("INSERT INTO customers VALUES ('Tmp', 'XX')");
  Must("CREATE TABLE tmp (x INT)");
  EXPECT_NE(Fails("COMMIT"), "succeeded");
  EXPECT_NE(Fails("ROLLBACK"), "succeeded");
  ASSERT_TRUE(world_.Execute("ROLLBACK"));
  EXPECT_EQ(Rows("SELECT count(*) FROM customers"), "[[3]]");
  EXPECT_NE(Fails("SELECT * FROM tmp"), "succeeded");
}

TEST_F(WriteTest, AReaderWritesNothing) {
  for (const char* sql :
       {"INSERT INTO customers VALUES ('x', 'y')", "UPDATE customers SET name = 'x'",
        "DELETE FROM customers",
        "MERGE INTO customers USING orders ON TRUE WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE customers", "CREATE TABLE t (x INT)", "DROP TABLE customers",
        "ALTER TABLE customers ADD COLUMN x INT", "CREATE DATABASE d",
        "COMMENT ON TABLE orders IS 'x'", "  -- first\n /* then */ delete from customers"}) {
    EXPECT_EQ(Fails(sql, Access::kReadOnly),
              "Calls to read_query should not contain write operations")
        << sql;
  }
  EXPECT_NE(Fails("WITH x AS (SELECT 1) DELETE FROM customers", Access::kReadOnly), "succeeded");
  EXPECT_EQ(Fails("SELECT * FROM customers", Access::kReadOnly), "succeeded");
  EXPECT_EQ(Fails("SHOW TABLES", Access::kReadOnly), "succeeded");
  EXPECT_EQ(Fails("USE SCHEMA public", Access::kReadOnly), "succeeded");
  EXPECT_EQ(Rows("SELECT count(*) FROM customers"), "[[3]]");
}

}  // namespace
}  // namespace viv::engine::guest_sql
