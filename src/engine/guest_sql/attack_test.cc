// What a hostile guest tries: to read or change tables that are not its own, to reach SQLite's
// functions and pragmas, to use up the machine.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>

#include "engine/guest_sql/guard.h"
#include "engine/guest_sql/guest_sql_for_test.h"

namespace viv::engine::guest_sql {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AttackTest : public GuestTest {
 protected:
  std::string Secret() {
    auto row = world_.Prepare("SELECT group_concat(token) FROM secret");
    EXPECT_TRUE(row && row->Step());
    return std::string(row->Text(0));
  }
};

TEST_F(AttackTest, NoTableOfOursCanBeRead) {
  for (const char* sql : {
           "SELECT * FROM secret",
           "SELECT * FROM \"secret\"",
           "SELECT * FROM `secret`",
           "SELECT * FROM [secret]",
           "SELECT * FROM 'secret'",
           "SELECT * FROM main.secret",
           "SELECT * FROM \"main\".\"secret\"",
           "SELECT * FROM main.public.secret",
           "SELECT * FROM temp.secret",
           "SELECT * FROM leak",
           "SELECT * FROM \"leak\"",
           "SELECT * FROM words",
           "SELECT * FROM sqlite_master",
           "SELECT * FROM \"sqlite_master\"",
           "SELECT * FROM sqlite_schema",
           "SELECT * FROM guest_table",
           "SELECT * FROM \"guest_table\"",
           "SELECT * FROM \"g$SALES$PUBLIC$ORDERS\"",
           "SELECT * FROM \"json_each\"",
           "SELECT * FROM json_each('[1]')",
           "SELECT * FROM \"r$1\"",
           "SELECT * FROM (SELECT token FROM secret)",
           "SELECT (SELECT token FROM secret)",
           "SELECT (SELECT max(\"token\") FROM \"secret\")",
           "WITH x AS (SELECT * FROM secret) SELECT * FROM x",
           "WITH secret AS (SELECT * FROM secret) SELECT * FROM secret",
           "WITH RECURSIVE secret AS (SELECT token FROM secret UNION ALL SELECT token FROM secret) "
           "SELECT * FROM secret",
           "SELECT * FROM customers UNION SELECT token, 1 FROM secret",
           "SELECT * FROM customers JOIN secret ON TRUE",
           "SELECT * FROM customers WHERE EXISTS (SELECT 1 FROM secret)",
           "SELECT * FROM customers ORDER BY (SELECT token FROM secret)",
           "SELECT * FROM customers LIMIT (SELECT 1 FROM secret)",
           "SELECT sum(1) OVER (ORDER BY (SELECT token FROM secret)) FROM customers",
           "CREATE VIEW v AS SELECT * FROM secret",
           "CREATE TABLE t AS SELECT * FROM secret",
           "CREATE TABLE t CLONE secret",
           "CREATE TABLE t LIKE secret",
           "INSERT INTO customers SELECT token, 1 FROM secret",
           "UPDATE customers SET name = (SELECT token FROM secret)",
           "UPDATE customers SET name = token FROM secret",
           "DELETE FROM customers USING secret WHERE token = name",
           "MERGE INTO customers USING secret ON TRUE WHEN MATCHED THEN DELETE",
           "DESCRIBE TABLE secret",
           "SHOW COLUMNS IN TABLE secret",
           "SELECT secret.token FROM customers",
           "SELECT rowid FROM customers",
           "SELECT \"rowid\" FROM customers",
           "SELECT \"g$row\" FROM customers",
           "SELECT _rowid_, oid FROM customers",
           "SELECT \"token\" FROM customers",
           "SELECT * FROM sеcret",  // with a Cyrillic е
           "SELECT * FROM/**/secret--",
           "SELECT * FROM pragma_table_info('secret')",
           "SELECT * FROM TABLE(pragma_table_info('secret'))",
           "SELECT * FROM dbstat",
           "SELECT * FROM sqlite_stmt",
           "SELECT * FROM bytecode('SELECT 1')",
           "SELECT * FROM \"SALES\".\"PUBLIC\".\"x`; SELECT * FROM secret --\"",
           "SELECT 1 AS \"x`, (SELECT token FROM secret) AS `y\", nope",
           "SELECT * FROM customers AS \"x` JOIN secret --\" WHERE nope",
       }) {
    auto outcome = Try(sql);
    EXPECT_FALSE(outcome) << sql;
    if (!outcome) {
      EXPECT_THAT(outcome.error().message, Not(HasSubstr("hidden"))) << sql;
      EXPECT_NE(outcome.error().code, ErrorCode::kInternal) << sql << "\n"
                                                            << outcome.error().message;
    }
  }
  EXPECT_EQ(Secret(), "hidden");
}

TEST_F(AttackTest, NamesAndTextsNeverBecomeSql) {
  EXPECT_EQ(Rows("SELECT 1 AS \"x`, (SELECT token FROM secret) AS `y\""), "[[1]]");
  EXPECT_EQ(Rows("SELECT 'a'' UNION SELECT token FROM secret --'"),
            R"([["a' UNION SELECT token FROM secret --"]])");
  EXPECT_EQ(Rows("SELECT '\\' || (SELECT token FROM secret) || \\''"),
            R"([["' || (SELECT token FROM secret) || '"]])");
  EXPECT_EQ(Rows("SELECT \"a`b\".\"N`\" FROM (SELECT 1 AS \"N`\") AS \"a`b\""), "[[1]]");
  EXPECT_EQ(Rows("SELECT parse_json('{\"a\"\"b\": 1}')"),
            Rows("SELECT parse_json('{\"a\"\"b\": 1}')"));
  Must("CREATE TABLE \"t`; DROP TABLE secret; --\" (\"c`) ; DROP TABLE secret; --\" INT)");
  Must("INSERT INTO \"t`; DROP TABLE secret; --\" VALUES (5)");
  EXPECT_EQ(Rows("SELECT * FROM \"t`; DROP TABLE secret; --\""), "[[5]]");
  Must(
      "ALTER TABLE \"t`; DROP TABLE secret; --\" RENAME COLUMN \"c`) ; DROP TABLE secret; --\" TO "
      "\"`\"");
  Must("CREATE VIEW \"v`\" AS SELECT \"`\" AS \"w`\" FROM \"t`; DROP TABLE secret; --\"");
  EXPECT_EQ(Rows("SELECT \"w`\" FROM \"v`\""), "[[5]]");
  EXPECT_EQ(Secret(), "hidden");
}

TEST_F(AttackTest, NoStatementOfSqliteGetsThrough) {
  for (const char* sql :
       {"PRAGMA table_info(secret)",
        "ATTACH DATABASE '/tmp/x' AS x",
        "DETACH DATABASE main",
        "VACUUM",
        "VACUUM INTO '/tmp/x'",
        "REINDEX",
        "ANALYZE",
        "SAVEPOINT x",
        "RELEASE `g$statement`",
        "RELEASE g$statement",
        "ROLLBACK TO g$statement",
        "BEGIN",
        "END",
        "COMMIT",
        "CREATE TRIGGER t AFTER INSERT ON customers BEGIN DELETE FROM secret; END",
        "CREATE INDEX i ON customers (name)",
        "CREATE VIRTUAL TABLE t USING fts5(x)",
        "REPLACE INTO secret VALUES ('x')",
        "INSERT OR REPLACE INTO customers VALUES (1, 2)",
        "INSERT INTO secret VALUES ('x')",
        "DELETE FROM secret",
        "UPDATE secret SET token = 'x'",
        "DROP TABLE secret",
        "DROP TABLE \"secret\"",
        "TRUNCATE TABLE secret",
        "ALTER TABLE secret RENAME TO s",
        "ALTER TABLE customers RENAME TO main.secret",
        "DROP TABLE guest_table",
        "INSERT INTO guest_table VALUES (1)",
        "DELETE FROM customers RETURNING (SELECT token FROM secret)",
        "INSERT INTO customers VALUES (1, 2) ON CONFLICT DO NOTHING",
        "EXPLAIN QUERY PLAN SELECT 1",
        "SELECT 1 INTO secret",
        "SELECT * FROM customers INDEXED BY x",
        "DROP SCHEMA information_schema"}) {
    EXPECT_NE(Fails(sql), "succeeded") << sql;
  }
  EXPECT_EQ(Secret(), "hidden");
  EXPECT_EQ(Rows("SELECT count(*) FROM customers"), "[[3]]");
}

TEST_F(AttackTest, NoFunctionOfSqliteGetsThrough) {
  for (const char* call : {"load_extension('/tmp/x.so')",
                           "readfile('/etc/passwd')",
                           "writefile('/tmp/x', 'y')",
                           "edit('x')",
                           "fts3_tokenizer('simple')",
                           "sqlite_version()",
                           "sqlite_source_id()",
                           "sqlite_compileoption_get(1)",
                           "randomblob(1000000000)",
                           "zeroblob(1000000000)",
                           "printf('%1000000000d', 1)",
                           "format('%d', 1)",
                           "hex('x')",
                           "quote('x')",
                           "changes()",
                           "last_insert_rowid()",
                           "json_extract('{}', '$')",
                           "group_concat('x')",
                           "now_ms()",
                           "\"load_extension\"('x')",
                           "g$cast('1', 'n', 1, 1)",
                           "g$version()",
                           "matchinfo('x')",
                           "snippet('x')",
                           "main.load_extension('x')",
                           "rtreecheck('x')",
                           "sqlite_log(1, 'x')",
                           "subtype(1)"}) {
    EXPECT_NE(Fails(std::string("SELECT ") + call), "succeeded") << call;
  }
}

TEST_F(AttackTest, ACatalogueThatPointsElsewhereOpensNothing) {
  ASSERT_TRUE(
      world_.Execute("UPDATE guest_table SET physical = 'secret' WHERE name = 'CUSTOMERS'"));
  ASSERT_TRUE(world_.Execute(
      "UPDATE guest_column SET name = 'token' WHERE table_name = 'CUSTOMERS' AND position = 1"));
  EXPECT_EQ(Fails("SELECT * FROM customers"),
            "002003 (42S02): SQL compilation error:\nObject 'CUSTOMERS' does not exist or not "
            "authorized.");
}

TEST_F(AttackTest, TheGuardHoldsByItself) {
  const Limits limits;
  Budget budget(limits);
  const std::set<std::string> tables = {"g$SALES$PUBLIC$CUSTOMERS"};
  auto prepares = [&](const char* sql) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(world_.get(), sql, -1, &statement, nullptr);
    sqlite3_finalize(statement);
    return code == SQLITE_OK;
  };
  {
    Guard guard(world_.get(), tables, Access::kReadOnly, budget);
    EXPECT_TRUE(prepares("SELECT NAME FROM g$SALES$PUBLIC$CUSTOMERS"));
    for (const char* sql : {"SELECT * FROM secret",
                            "SELECT count(*) FROM secret",
                            "SELECT * FROM leak",
                            "SELECT 1 FROM words",
                            "SELECT * FROM sqlite_master",
                            "SELECT * FROM g$SALES$PUBLIC$ORDERS",
                            "SELECT * FROM pragma_table_info('secret')",
                            "PRAGMA user_version",
                            "SELECT hex('x')",
                            "SELECT load_extension('x')",
                            "ATTACH ':memory:' AS x",
                            "CREATE TABLE x (y)",
                            "BEGIN",
                            "SAVEPOINT x",
                            "DELETE FROM g$SALES$PUBLIC$CUSTOMERS",
                            "DROP TABLE secret",
                            "INSERT INTO secret VALUES (1)",
                            "CREATE TEMP TABLE x (y)",
                            "ANALYZE",
                            "REINDEX"}) {
      EXPECT_FALSE(prepares(sql)) << sql;
    }
  }
  EXPECT_TRUE(prepares("SELECT * FROM secret"));
}

TEST_F(AttackTest, TheConnectionIsLeftAsItWas) {
  const int length = sqlite3_limit(world_.get(), SQLITE_LIMIT_LENGTH, -1);
  auto pages = [&] {
    auto row = world_.Prepare("PRAGMA max_page_count");
    EXPECT_TRUE(row && row->Step());
    return row->Integer(0);
  };
  const std::int64_t before = pages();
  Fails("SELECT * FROM nope");
  Fails("SELECT 1 / 0");
  Must("SELECT * FROM customers");
  EXPECT_EQ(sqlite3_limit(world_.get(), SQLITE_LIMIT_LENGTH, -1), length);
  EXPECT_EQ(pages(), before);
  EXPECT_EQ(Secret(), "hidden");
}

TEST_F(AttackTest, WorkHasALimit) {
  const Limits few{.rows_max = 10, .steps_max = 100'000};
  EXPECT_THAT(Fails("WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT "
                    "count(*) FROM n",
                    Access::kReadOnly, few),
              HasSubstr("timeout"));
  EXPECT_THAT(Fails("SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e, orders "
                    "f, orders g, orders h, "
                    "orders i, orders j",
                    Access::kReadOnly, few),
              HasSubstr("timeout"));
  EXPECT_THAT(Fails("SELECT a.id FROM orders a, orders b", Access::kReadOnly, few),
              HasSubstr("more than 10 rows"));
  EXPECT_EQ(Fails("SELECT a.id FROM orders a, orders b LIMIT 10", Access::kReadOnly, few),
            "succeeded");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders"), "[[4]]");
}

TEST_F(AttackTest, ValuesAndResultsHaveALimit) {
  EXPECT_NE(Fails("SELECT repeat('x', 1000000000)"), "succeeded");
  EXPECT_NE(Fails("SELECT lpad('x', 1000000000, 'ab')"), "succeeded");
  EXPECT_NE(Fails("SELECT replace(repeat('x', 1000000), 'x', repeat('y', 1000))"), "succeeded");
  EXPECT_NE(Fails("SELECT * FROM TABLE(GENERATOR(ROWCOUNT => 1000000000))"), "succeeded");
  const Limits small{.result_bytes_max = 1000};
  EXPECT_THAT(Fails("SELECT repeat('x', 2000)", Access::kReadOnly, small),
              HasSubstr("more than 1000 bytes"));
  const Limits narrow{.growth_pages_max = 10};
  EXPECT_NE(Fails("CREATE TABLE t AS SELECT repeat('x', 1000000) AS x", Access::kReadWrite, narrow),
            "succeeded");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders"), "[[4]]");
}

// Each of these kept a thread for minutes, and nothing could stop it.
TEST_F(AttackTest, NoTextFunctionRunsAway) {
  for (const char* sql :
       {"SELECT TRIM(REPEAT('a',400000),REPEAT('b',400000)||'a')",
        "SELECT LTRIM(REPEAT('a',400000),REPEAT('b',400000)||'a')",
        "SELECT RTRIM(REPEAT('a',400000),REPEAT('b',400000)||'a')",
        "SELECT CONTAINS(REPEAT('a',400000),REPEAT('a',200000)||'b')",
        "SELECT CHARINDEX(REPEAT('a',200000)||'b',REPEAT('a',400000))",
        "SELECT POSITION(REPEAT('a',200000)||'b',REPEAT('a',400000))",
        "SELECT REPLACE(REPEAT('a',400000),REPEAT('a',200000)||'b','')",
        "SELECT SPLIT_PART(REPEAT('a',400000),REPEAT('a',200000)||'b',2)",
        "SELECT TRANSLATE(REPEAT('a',400000),REPEAT('b',100000)||'a',REPEAT('c',100001))",
        "SELECT INITCAP(REPEAT('a',400000),REPEAT('b',400000))",
        "SELECT STRTOK(REPEAT('a',400000),REPEAT('b',400000),2)",
        "SELECT REPEAT('a',400000) LIKE '%' || REPEAT('a%',100000)",
        "SELECT LENGTH(LPAD('x',100000,'ab')), LENGTH(REVERSE(REPEAT('a',400000)))"}) {
    EXPECT_EQ(Fails(sql), "succeeded") << sql;
  }
}

TEST_F(AttackTest, WorkWithinAFunctionHasALimit) {
  const Limits little{.time_max = std::chrono::hours(1), .work_bytes_max = 20'000'000};
  for (const char* sql :
       {"SELECT REPEAT('a',4000000) LIKE '%' || REPEAT('a',2000000) || 'b'",
        "SELECT REPEAT('a',4000000) ILIKE '%' || REPEAT('A_',100000) || 'b'",
        "SELECT SUM(EDITDISTANCE(REPEAT('a',5000),REPEAT('b',5000))) FROM orders",
        "SELECT SUM(LENGTH(REPEAT(a.id::TEXT,4000000))) FROM orders a, orders b"}) {
    EXPECT_THAT(Fails(sql, Access::kReadOnly, little), HasSubstr("timeout")) << sql;
  }
  // A match that looks at the whole rest of the text each time costs time, not bytes.
  const Limits brief{.time_max = std::chrono::milliseconds(200)};
  for (const char* sql : {"SELECT REGEXP_COUNT(REPEAT('a',1000000),'a.*b|a')",
                          "SELECT REGEXP_REPLACE(REPEAT('a',1000000),'a.*b|a','')",
                          "SELECT REGEXP_SUBSTR(REPEAT('a',1000000),'a.*b|a',1,900000)"}) {
    EXPECT_THAT(Fails(sql, Access::kReadOnly, brief), HasSubstr("timeout")) << sql;
  }
  EXPECT_NE(Fails("SELECT REGEXP_LIKE(REPEAT('a',4000000),'(a{1,100}){1,9}')"), "succeeded");
}

TEST_F(AttackTest, ACancelledCallEndsWithinAFunction) {
  const std::atomic<bool> cancelled{true};
  Work call({}, &cancelled);
  WorkScope scope(call);
  for (const char* sql : {"SELECT REPEAT('a',4000000) LIKE '%' || REPEAT('a',2000000) || 'b'",
                          "SELECT TRIM(REPEAT('a',4000000))"}) {
    EXPECT_THAT(Fails(sql), HasSubstr("timeout")) << sql;
  }
}

TEST_F(AttackTest, MemoryHasALimit) {
  for (const char* sql :
       {"SELECT ARRAY_AGG(REPEAT('x',1000000)) FROM TABLE(GENERATOR(ROWCOUNT => 1000))",
        "SELECT COUNT(*) FROM (SELECT REPEAT('x',4000000) || UNIFORM(1, 9, 1) AS t FROM "
        "TABLE(GENERATOR(ROWCOUNT => 1000)) ORDER BY t LIMIT 999)",
        "SELECT COUNT(DISTINCT REPEAT('x',4000000) || SEQ4()) FROM TABLE(GENERATOR(ROWCOUNT => "
        "1000))"}) {
    EXPECT_NE(Fails(sql), "succeeded") << sql;
  }
}

TEST_F(AttackTest, LongChainsAreNotCopiedWithoutEnd) {
  std::string chain = "SELECT 1";
  for (int i = 0; i < 90'000; ++i) chain += "+a";
  EXPECT_NE(Fails(chain), "succeeded");
}

TEST_F(AttackTest, StatementsHaveALimit) {
  EXPECT_NE(Fails("SELECT " + std::string(100'000, '(') + "1"), "succeeded");
  EXPECT_NE(Fails("SELECT " + std::string(200, '(') + "1" + std::string(200, ')')), "succeeded");
  EXPECT_NE(Fails("SELECT '" + std::string(2 << 20, 'x') + "'"), "succeeded");
  std::string deep = "SELECT 1 AS a";
  for (int i = 0; i < 300; ++i) deep = "SELECT * FROM (" + deep + ")";
  EXPECT_NE(Fails(deep), "succeeded");
  std::string cases = "1";
  for (int i = 0; i < 300; ++i) cases = "CASE WHEN TRUE THEN " + cases + " END";
  EXPECT_NE(Fails("SELECT " + cases), "succeeded");
  // Each alias doubles the text before it.
  std::string doubling = "SELECT 1 AS a0";
  for (int i = 1; i < 60; ++i) doubling += fmt::format(", a{} + a{} AS a{}", i - 1, i - 1, i);
  EXPECT_NE(Fails(doubling), "succeeded");
}

TEST_F(AttackTest, ViewsCannotMultiplyWithoutEnd) {
  Must("CREATE VIEW v0 AS SELECT name FROM customers");
  for (int i = 1; i < 30; ++i) {
    if (!Try(fmt::format("CREATE VIEW v{} AS SELECT a.name FROM v{} a JOIN v{} b ON TRUE", i, i - 1,
                         i - 1)))
      return;
  }
  FAIL() << "thirty views, each reading the one before twice, were accepted";
}

TEST_F(AttackTest, AViewCannotReadItself) {
  Must("CREATE VIEW v AS SELECT name FROM customers");
  Must("CREATE VIEW w AS SELECT name FROM v");
  Must("CREATE OR REPLACE VIEW v AS SELECT name FROM w");
  EXPECT_NE(Fails("SELECT * FROM v"), "succeeded");
}

TEST_F(AttackTest, BrokenTextIsRefused) {
  for (const std::string& sql :
       {std::string("SELECT '\xff'"), std::string("SELECT 'a\0b'", 12), std::string("SELECT 'open"),
        std::string("SELECT \"open"), std::string("SELECT /* open"), std::string("SELECT $$open"),
        std::string("SELECT \"\""), std::string("SELECT '\\u0000'"), std::string("SELECT '\\x0"),
        std::string("\\"), std::string("SELECT #")}) {
    EXPECT_NE(Fails(sql), "succeeded") << sql;
  }
}

}  // namespace
}  // namespace viv::engine::guest_sql
