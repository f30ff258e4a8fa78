#include "engine/guest_sql/guest_sql_for_test.h"

namespace viv::engine::guest_sql {
namespace {

class DdlTest : public GuestTest {
 protected:
  std::string Message(std::string_view sql) {
    auto outcome = Try(sql);
    return outcome ? outcome->message : outcome.error().message;
  }
};

TEST_F(DdlTest, CreatesAndDropsWithTheProductsWords) {
  EXPECT_EQ(Message("CREATE TABLE t (a INT)"), "Table T successfully created.");
  EXPECT_EQ(Message("CREATE TABLE t (a INT)"),
            "002002 (42710): SQL compilation error:\nObject 'SALES.PUBLIC.T' already exists.");
  EXPECT_EQ(Message("CREATE TABLE IF NOT EXISTS t (a INT)"),
            "T already exists, statement succeeded.");
  EXPECT_EQ(Message("CREATE OR REPLACE TABLE t (b INT)"), "Table T successfully created.");
  EXPECT_EQ(Message("CREATE VIEW v AS SELECT b FROM t"), "View V successfully created.");
  EXPECT_EQ(Message("DROP TABLE v"),
            "002203 (02000): SQL compilation error:\nObject found is of type 'VIEW', not specified "
            "type 'TABLE'.");
  EXPECT_EQ(Message("DROP VIEW v"), "V successfully dropped.");
  EXPECT_EQ(Message("DROP TABLE t"), "T successfully dropped.");
  EXPECT_EQ(Message("DROP TABLE t"),
            "002003 (02000): SQL compilation error:\nTable 'T' does not exist or not authorized.");
  EXPECT_EQ(Message("DROP TABLE IF EXISTS t"),
            "Drop statement executed successfully (T already dropped).");
  EXPECT_EQ(Message("CREATE SCHEMA s"), "Schema S successfully created.");
  EXPECT_EQ(session_.schema, "S");
  EXPECT_EQ(Message("CREATE DATABASE d"), "Database D successfully created.");
  EXPECT_EQ(session_.database + "." + session_.schema, "D.PUBLIC");
  EXPECT_EQ(Message("DROP DATABASE d"), "D successfully dropped.");
  EXPECT_EQ(session_.database, "");
  EXPECT_EQ(Message("DROP SCHEMA sales.s"), "S successfully dropped.");
  EXPECT_EQ(
      Message("DROP DATABASE nope"),
      "002003 (02000): SQL compilation error:\nDatabase 'NOPE' does not exist or not authorized.");
}

TEST_F(DdlTest, ADroppedDatabaseLeavesNothingBehind) {
  Must("DROP DATABASE sales");
  auto count = world_.Prepare(
      "SELECT (SELECT count(*) FROM guest_column) + (SELECT count(*) FROM guest_table) + (SELECT "
      "count(*) FROM sqlite_master WHERE name LIKE 'g$%')");
  ASSERT_TRUE(count && count->Step());
  EXPECT_EQ(count->Integer(0), 0);
}

TEST_F(DdlTest, SpellsTypesAsTheProduct) {
  Must(
      "CREATE TABLE t (a INT, b STRING, c DECIMAL(10, 2), d DOUBLE PRECISION, e TIMESTAMP, f "
      "BOOLEAN, g CHAR(3), h DATE, "
      "i VARIANT, j NUMBER, k DATETIME, l TIMESTAMP_TZ, PRIMARY KEY (a), FOREIGN KEY (b) "
      "REFERENCES customers (name))");
  auto outcome = Must("DESCRIBE TABLE t");
  std::string types;
  for (const json::value& row : outcome.rows) types += std::string(FindString(row, "type")) + " ";
  EXPECT_EQ(types,
            "NUMBER(38,0) VARCHAR(16777216) NUMBER(10,2) FLOAT TIMESTAMP_NTZ(9) BOOLEAN VARCHAR(3) "
            "DATE VARIANT "
            "NUMBER(38,0) TIMESTAMP_NTZ(9) TIMESTAMP_TZ(9) ");
  EXPECT_EQ(FindString(outcome.rows[0], "primary key"), "Y");
  EXPECT_EQ(FindString(outcome.rows[0], "null?"), "N");
}

TEST_F(DdlTest, CreatesTablesFromQueriesAndTables) {
  Must(
      "CREATE TABLE big AS SELECT customer, sum(amount) AS total, count(*) > 1 AS repeated, "
      "max(placed) AS last FROM "
      "orders GROUP BY customer");
  EXPECT_EQ(Rows("SELECT * FROM big WHERE customer = 'Ada'"),
            R"([["Ada",4.075E1,true,"2024-02-29"]])");
  Must("CREATE TABLE copy CLONE orders");
  EXPECT_EQ(Rows("SELECT count(*) FROM copy"), "[[4]]");
  Must("CREATE TABLE shape LIKE orders");
  EXPECT_EQ(Rows("SELECT count(*) FROM shape"), "[[0]]");
  Must("CREATE OR REPLACE TABLE copy AS SELECT id FROM copy WHERE id > 2");
  EXPECT_EQ(Rows("SELECT * FROM copy"), "[[3],[4]]");
  Must("CREATE TABLE named (a, b) AS SELECT 1, 'x'");
  EXPECT_EQ(Rows("SELECT a, b FROM named"), R"([[1,"x"]])");
}

TEST_F(DdlTest, AltersTables) {
  EXPECT_EQ(Message("ALTER TABLE customers ADD COLUMN vip BOOLEAN DEFAULT FALSE, note VARCHAR"),
            "Statement executed successfully.");
  EXPECT_EQ(Rows("SELECT vip, note FROM customers WHERE name = 'Ada'"), "[[false,null]]");
  Must("ALTER TABLE customers RENAME COLUMN note TO remark");
  Must("ALTER TABLE customers DROP COLUMN vip");
  Must("ALTER TABLE customers ALTER COLUMN remark SET NOT NULL");
  EXPECT_NE(Fails("INSERT INTO customers (name) VALUES ('x')"), "succeeded");
  Must("ALTER TABLE customers MODIFY COLUMN remark DROP NOT NULL");
  Must("ALTER TABLE customers RENAME TO clients");
  EXPECT_EQ(Rows("SELECT name, country, remark FROM clients WHERE name = 'Bob'"),
            R"([["Bob","FR",null]])");
  EXPECT_NE(Fails("SELECT * FROM customers"), "succeeded");
  EXPECT_EQ(Message("ALTER TABLE clients DROP COLUMN nope"),
            "000904 (42000): SQL compilation error:\ncolumn 'NOPE' does not exist");
  EXPECT_EQ(Message("ALTER TABLE clients ADD COLUMN name INT"),
            "001430 (42601): SQL compilation error:\ncolumn 'NAME' already exists");
  EXPECT_EQ(Message("ALTER TABLE clients ALTER COLUMN name TYPE INT"),
            "002108 (22000): SQL compilation error:\ncannot change column NAME from type "
            "VARCHAR(16777216) to "
            "NUMBER(38,0)");
}

TEST_F(DdlTest, KeepsNamesApartThatDifferInCase) {
  Must("CREATE TABLE \"Orders\" (x INT)");
  Must("INSERT INTO \"Orders\" VALUES (7)");
  EXPECT_EQ(Rows("SELECT x FROM \"Orders\""), "[[7]]");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders"), "[[4]]");
  Must("CREATE TABLE \"a$b\" (\"we`ird \"\"name\" INT)");
  Must("INSERT INTO \"a$b\" VALUES (1)");
  EXPECT_EQ(Rows("SELECT \"we`ird \"\"name\" FROM \"a$b\""), "[[1]]");
}

TEST_F(DdlTest, RefusesColumnsItCannotStore) {
  EXPECT_NE(Fails("CREATE TABLE t (a INT, A INT)"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t (\"a\" INT, A INT)"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t (g$row INT)"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t ()"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t (a)"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t (a INT DEFAULT (SELECT token FROM secret))"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE t (a NUMBER(39, 0))"), "succeeded");
  EXPECT_NE(Fails("CREATE TABLE information_schema.t (a INT)"), "succeeded");
  EXPECT_NE(Fails("CREATE STAGE s"), "succeeded");
}

TEST_F(DdlTest, UsesDatabasesSchemasWarehousesAndRoles) {
  Must("CREATE DATABASE other");
  Must("USE SCHEMA sales.public");
  EXPECT_EQ(session_.database, "SALES");
  Must("USE DATABASE other");
  EXPECT_EQ(session_.database + "." + session_.schema, "OTHER.PUBLIC");
  Must("USE sales.public");
  Must("USE WAREHOUSE compute_wh");
  Must("USE ROLE analyst");
  EXPECT_EQ(session_.warehouse + " " + session_.role, "COMPUTE_WH ANALYST");
  EXPECT_EQ(Message("USE DATABASE nope"),
            "002043 (02000): SQL compilation error:\nObject does not exist, or operation cannot be "
            "performed.");
  EXPECT_EQ(session_.database, "SALES");
}

TEST_F(DdlTest, ShowsWhatThereIs) {
  EXPECT_EQ(Must("SHOW DATABASES").rows.size(), 1u);
  EXPECT_EQ(Must("SHOW SCHEMAS IN DATABASE sales").rows.size(), 2u);
  auto tables = Must("SHOW TABLES LIKE 'ord%' IN sales.public");
  ASSERT_EQ(tables.rows.size(), 1u);
  EXPECT_EQ(FindString(tables.rows[0], "name"), "ORDERS");
  EXPECT_EQ(tables.rows[0].at("rows").as_int64(), 4);
  EXPECT_EQ(FindString(tables.rows[0], "created_on"), "2024-06-01 12:00:00");
  EXPECT_EQ(Must("SHOW VIEWS").rows.size(), 1u);
  EXPECT_EQ(Must("SHOW COLUMNS IN TABLE customers").rows.size(), 2u);
  EXPECT_EQ(Must("SHOW TABLES IN ACCOUNT").rows.size(), 2u);
  EXPECT_EQ(Must("SHOW TABLES STARTS WITH 'CUS' LIMIT 5").rows.size(), 1u);
  EXPECT_EQ(Must("SHOW WAREHOUSES").rows.size(), 0u);
  EXPECT_EQ(Must("DESC TABLE customers").rows.size(), 2u);
  EXPECT_NE(Fails("SHOW TABLES IN DATABASE nope"), "succeeded");
  EXPECT_NE(Fails("SHOW GRANTS"), "succeeded");
  EXPECT_EQ(
      Fails("DESCRIBE TABLE nope"),
      "002003 (02000): SQL compilation error:\nTable 'NOPE' does not exist or not authorized.");
}

TEST_F(DdlTest, Comments) {
  Must("COMMENT ON TABLE orders IS 'all of them'");
  Must("COMMENT ON COLUMN orders.amount IS 'in euro'");
  EXPECT_EQ(Rows("SELECT comment FROM information_schema.tables WHERE table_name = 'ORDERS'"),
            R"([["all of them"]])");
  EXPECT_EQ(FindString(Must("DESC TABLE orders").rows[2], "comment"), "in euro");
}

TEST_F(DdlTest, AViewThatNoLongerFitsSaysSo) {
  Must("CREATE VIEW v AS SELECT name FROM customers");
  Must("ALTER TABLE customers DROP COLUMN name");
  EXPECT_EQ(Fails("SELECT * FROM v"),
            "002037 (42601): SQL compilation error:\nFailure during expansion of view 'V': 000904 "
            "(42000): SQL compilation "
            "error: error line 1 at position 7\ninvalid identifier 'NAME'");
}

}  // namespace
}  // namespace viv::engine::guest_sql
