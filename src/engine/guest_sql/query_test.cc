#include <gmock/gmock.h>

#include "engine/guest_sql/guest_sql_for_test.h"

namespace viv::engine::guest_sql {
namespace {

struct QueryCase {
  const char* sql;
  const char* rows;
};

class QueryTest : public GuestTest {
 protected:
  void Expect(std::initializer_list<QueryCase> cases) {
    for (const QueryCase& c : cases) EXPECT_EQ(Rows(c.sql), c.rows) << c.sql;
  }
};

TEST_F(QueryTest, FoldsUnquotedNamesToUpperCase) {
  auto outcome =
      Must("select id, Customer AS who, amount * 2, \"CUSTOMER\" from Orders o where o.Id = 1");
  EXPECT_EQ(json::serialize(outcome.columns), R"(["ID","WHO","AMOUNT * 2","CUSTOMER"])");
  EXPECT_EQ(json::serialize(outcome.rows),
            R"([{"ID":1,"WHO":"Ada","AMOUNT * 2":21,"CUSTOMER":"Ada"}])");
}

TEST_F(QueryTest, ReturnsTypedValues) {
  Expect(
      {{"SELECT * FROM orders WHERE id = 1",
        R"([[1,"Ada",1.05E1,true,"2024-01-15","2024-01-16 08:00:00",{"tags":["a","b"],"ship":{"City":"Rome"}}]])"},
       {"SELECT * EXCLUDE (extra, shipped) FROM orders WHERE id = 4",
        R"([[4,"Cy",null,null,"2024-03-31"]])"},
       {"SELECT paid AND amount > 5, NOT paid, paid::varchar FROM orders WHERE id = 1",
        R"([[true,false,"true"]])"}});
}

TEST_F(QueryTest, ReadsNamesOfOneTwoAndThreeParts) {
  Expect({{"SELECT count(*) FROM orders", "[[4]]"},
          {"SELECT count(*) FROM public.orders", "[[4]]"},
          {"SELECT count(*) FROM sales.public.orders", "[[4]]"},
          {"SELECT sales.public.orders.id FROM sales.public.orders WHERE public.orders.id = 2",
           "[[2]]"},
          {"SELECT count(*) FROM \"SALES\".\"PUBLIC\".\"ORDERS\"", "[[4]]"}});
}

TEST_F(QueryTest, Joins) {
  Expect({{"SELECT o.id, c.country FROM orders o JOIN customers c ON o.customer = c.name ORDER BY "
           "o.id",
           R"([[1,"IT"],[2,"FR"],[3,"IT"]])"},
          {"SELECT c.name, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer = c.name "
           "GROUP BY c.name ORDER "
           "BY 1",
           R"([["Ada",2],["Bob",1],["Dee",0]])"},
          {"SELECT * FROM (SELECT 1 AS k, 2 AS a) x JOIN (SELECT 1 AS k, 3 AS b) y USING (k)",
           "[[1,2,3]]"},
          {"SELECT k, a, b FROM (SELECT 1 AS k, 2 AS a) x FULL OUTER JOIN (SELECT 5 AS k, 3 AS b) "
           "y USING (k) ORDER BY k",
           "[[1,2,null],[5,null,3]]"},
          {"SELECT * FROM (SELECT 1 AS k) NATURAL JOIN (SELECT 1 AS k, 2 AS z)", "[[1,2]]"},
          {"SELECT count(*) FROM orders, customers", "[[12]]"},
          {"SELECT a.id FROM orders a JOIN orders b ON a.id = b.id + 1 ORDER BY id",
           "[[2],[3],[4]]"}});
}

TEST_F(QueryTest, ReadsSubqueriesCtesAndSetOperations) {
  Expect({{"SELECT customer FROM orders WHERE amount = (SELECT max(amount) FROM orders)",
           R"([["Ada"]])"},
          {"SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = "
           "c.name) ORDER BY name",
           R"([["Ada"],["Bob"]])"},
          {"SELECT name FROM customers WHERE name NOT IN (SELECT customer FROM orders)",
           R"([["Dee"]])"},
          {"WITH t AS (SELECT customer AS c, sum(amount) AS s FROM orders GROUP BY 1) SELECT c "
           "FROM t WHERE s > 25",
           R"([["Ada"]])"},
          {"WITH a(x) AS (SELECT 1), b AS (SELECT x + 1 AS y FROM a) SELECT a.x, b.y FROM a, b",
           "[[1,2]]"},
          {"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT "
           "sum(i) FROM n",
           "[[10]]"},
          {"WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n",
           "[[1],[2],[3]]"},
          {"SELECT 1 AS a UNION SELECT 2 UNION ALL SELECT 2 ORDER BY a DESC", "[[2],[2],[1]]"},
          {"SELECT 1 MINUS SELECT 1", "[]"},
          {"(SELECT 2 AS a) UNION (SELECT 1) ORDER BY 1 LIMIT 1", "[[1]]"},
          {"SELECT 1 UNION SELECT 2 INTERSECT SELECT 3", "[[1]]"},
          {"SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(n, s) WHERE n > 1", R"([[2,"b"]])"},
          {"SELECT $2, column1 FROM VALUES (1, 'a')", R"([["a",1]])"}});
}

TEST_F(QueryTest, ExpandsViews) {
  Expect({{"SELECT * FROM paid_orders ORDER BY id", R"([[1,"Ada",1.05E1],[3,"Ada",3.025E1]])"},
          {"SELECT v.id FROM sales.public.paid_orders AS v WHERE v.id > 1", "[[3]]"}});
}

TEST_F(QueryTest, AViewIsReadInItsOwnSchema) {
  Must("CREATE SCHEMA other");
  Must("CREATE TABLE orders (x INT)");
  EXPECT_EQ(Rows("SELECT count(*) FROM public.paid_orders"), "[[2]]");
  EXPECT_EQ(Rows("SELECT count(*) FROM orders"), "[[0]]");
}

TEST_F(QueryTest, OrdersNullsAsTheProductDoes) {
  Expect({{"SELECT amount FROM orders ORDER BY amount", "[[1.05E1],[20],[3.025E1],[null]]"},
          {"SELECT amount FROM orders ORDER BY amount DESC", "[[null],[3.025E1],[20],[1.05E1]]"},
          {"SELECT amount FROM orders ORDER BY amount DESC NULLS LAST LIMIT 1", "[[3.025E1]]"},
          {"SELECT id FROM orders ORDER BY id LIMIT 2 OFFSET 1", "[[2],[3]]"},
          {"SELECT TOP 1 id FROM orders ORDER BY id DESC", "[[4]]"},
          {"SELECT id FROM orders ORDER BY id OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY", "[[2]]"}});
}

TEST_F(QueryTest, GroupsAndUsesAliases) {
  Expect(
      {{"SELECT customer AS c, count(*) AS n FROM orders GROUP BY c HAVING n > 1",
        R"([["Ada",2]])"},
       {"SELECT customer, sum(amount) FROM orders GROUP BY ALL ORDER BY 1",
        R"([["Ada",4.075E1],["Bob",20],["Cy",null]])"},
       {"SELECT id + 1 AS a, a * 2 AS b FROM orders WHERE b = 4", "[[2,4]]"},
       {"SELECT count(DISTINCT customer), count(DISTINCT customer, paid) FROM orders", "[[3,2]]"},
       {"SELECT upper(customer) AS customer FROM orders ORDER BY customer LIMIT 1",
        R"([["ADA"]])"}});
}

TEST_F(QueryTest, ComputesWindowsAndQualifies) {
  Expect({{"SELECT id, row_number() OVER (PARTITION BY customer ORDER BY id DESC) AS rn FROM "
           "orders QUALIFY rn = 1 ORDER "
           "BY id",
           "[[2,1],[3,1],[4,1]]"},
          {"SELECT customer FROM orders QUALIFY count(*) OVER (PARTITION BY customer) > 1 ORDER BY "
           "amount DESC",
           R"([["Ada"],["Ada"]])"},
          {"SELECT id, lag(id) OVER (ORDER BY id), last_value(id) OVER (ORDER BY id) FROM orders "
           "LIMIT 2",
           "[[1,null,4],[2,1,4]]"},
          {"SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM "
           "orders ORDER BY 1",
           "[[1,1],[2,3],[3,5],[4,7]]"},
          {"SELECT ratio_to_report(id) OVER () FROM orders WHERE id IN (1, 3)",
           "[[2.5E-1],[7.5E-1]]"}});
}

TEST_F(QueryTest, AggregatesWhatSqliteCannot) {
  Expect(
      {{"SELECT median(id), stddev(id), variance(id), var_pop(id) FROM orders",
        "[[2.5E0,1.2909944487358056E0,1.6666666666666667E0,1.25E0]]"},
       {"SELECT percentile_cont(0.25) WITHIN GROUP (ORDER BY id), percentile_disc(0.5) WITHIN "
        "GROUP (ORDER BY id) "
        "FROM orders",
        "[[1.75E0,2]]"},
       {"SELECT corr(id, id * 2) FROM orders", "[[1E0]]"},
       {"SELECT listagg(DISTINCT customer, ', ') WITHIN GROUP (ORDER BY customer DESC) FROM orders",
        R"([["Cy, Bob, Ada"]])"},
       {"SELECT array_agg(id) WITHIN GROUP (ORDER BY id DESC) FROM orders", "[[[4,3,2,1]]]"},
       {"SELECT object_agg(name, country) FROM customers WHERE name < 'C'",
        R"([[{"Ada":"IT","Bob":"FR"}]])"},
       {"SELECT avg(id), count_if(paid), max_by(customer, id), mode(customer) FROM orders",
        R"([[2.5E0,2,"Cy","Ada"]])"},
       {"SELECT median(id) OVER (PARTITION BY customer) FROM orders ORDER BY 1",
        "[[2],[2],[2],[4]]"}});
}

TEST_F(QueryTest, ReadsSemiStructuredValues) {
  Expect({{"SELECT extra:tags[1]::string, extra:ship.City, extra:none FROM orders WHERE id = 1",
           R"([["b","Rome",null]])"},
          {"SELECT extra['tags'][0] FROM orders WHERE extra:ship.City = 'Rome'", R"([["a"]])"},
          {"SELECT o.id, f.value::string, f.index FROM orders o, LATERAL FLATTEN(input => "
           "o.extra:tags) f ORDER BY f.index",
           R"([[1,"a",0],[1,"b",1]])"},
          {"SELECT count(*) FROM orders o, TABLE(FLATTEN(o.extra:tags, outer => true)) f", "[[5]]"},
          {"SELECT object_construct('id', id, 'x', extra:tags, 'n', NULL, 'p', paid) FROM orders "
           "WHERE id = 1",
           R"([[{"id":1,"x":["a","b"],"p":true}]])"},
          {"SELECT array_size(extra:tags), array_contains('a'::variant, extra:tags) FROM orders "
           "WHERE id = 1",
           "[[2,true]]"},
          {"SELECT {'a': [1, 'x']}, parse_json('{\"k\": 1.5}'):k::float",
           R"([[{"a":[1,"x"]},1.5E0]])"}});
}

TEST_F(QueryTest, ComparesValuesAsTheirTypes) {
  Expect({{"SELECT id FROM orders WHERE placed = '2024-2-1'", "[[2]]"},
          {"SELECT id FROM orders WHERE placed BETWEEN '2024-02-01' AND '2024-03-01' ORDER BY 1",
           "[[2],[3]]"},
          {"SELECT id FROM orders WHERE shipped >= '2024-03-01' AND id = '3'", "[[3]]"},
          {"SELECT id FROM orders WHERE shipped::date = DATE '2024-03-01'", "[[3]]"},
          {"SELECT id FROM orders WHERE paid = 'false'", "[[2]]"},
          {"SELECT id FROM orders WHERE (customer, id) IN (('Ada', 3), ('Bob', 1))", "[[3]]"},
          {"SELECT count(*) FROM orders WHERE amount IS NOT DISTINCT FROM NULL", "[[1]]"},
          {"SELECT count(*) FROM orders WHERE customer LIKE 'a%'", "[[0]]"},
          {"SELECT count(*) FROM orders WHERE customer ILIKE ANY ('a%', '_Y')", "[[3]]"}});
}

TEST_F(QueryTest, GeneratesRows) {
  Expect({{"SELECT seq4() * 2 FROM TABLE(GENERATOR(ROWCOUNT => 3))", "[[0],[2],[4]]"},
          {"SELECT count(*) FROM TABLE(GENERATOR(ROWCOUNT => 0))", "[[0]]"}});
}

TEST_F(QueryTest, LongChainsKeepTheirMeaning) {
  std::string sum = "0";
  std::string text = "''";
  for (int i = 0; i < 400; ++i) {
    sum += i % 2 == 0 ? " + 3" : " - 1";
    text += " || 'x'";
  }
  EXPECT_EQ(Value(sum), "400");
  EXPECT_EQ(Value("length(" + text + ")"), "400");
  Expect({{"SELECT 10 - 4 - 3, 10 - (4 - 3), 2 * 3 + 4 * 5, (1 + 2) * 3, -(1 + 2) + 5",
           "[[3,9,26,9,2]]"},
          {"SELECT 100 / 10 / 5, 7 % 4 * 2, '1' || '2' + 3", "[[2,6,15]]"}});
}

TEST_F(QueryTest, NamesAColumnAfterItsExpression) {
  EXPECT_EQ(
      json::serialize(Must("SELECT id::varchar, Extra:tags, count(*) over () FROM orders").columns),
      R"x(["ID::VARCHAR","EXTRA:TAGS","COUNT(*) OVER ()"])x");
}

TEST_F(QueryTest, ShowsTheInformationSchema) {
  Expect(
      {{"SELECT table_name, table_type, row_count FROM information_schema.tables ORDER BY 1",
        R"([["CUSTOMERS","BASE TABLE",3],["ORDERS","BASE TABLE",4],["PAID_ORDERS","VIEW",null]])"},
       {"SELECT column_name, data_type, is_nullable FROM sales.information_schema.columns WHERE "
        "table_name = 'ORDERS' "
        "AND ordinal_position < 4 ORDER BY ordinal_position",
        R"([["ID","NUMBER","YES"],["CUSTOMER","TEXT","NO"],["AMOUNT","NUMBER","YES"]])"},
       {"SELECT schema_name FROM information_schema.schemata ORDER BY 1",
        R"([["INFORMATION_SCHEMA"],["PUBLIC"]])"},
       {"SELECT database_name FROM information_schema.databases", R"([["SALES"]])"},
       {"SELECT table_name FROM information_schema.views", R"([["PAID_ORDERS"]])"}});
}

TEST_F(QueryTest, ExplainsWithoutRunning) {
  auto outcome = Must("EXPLAIN SELECT 1/0 FROM orders JOIN customers ON true");
  EXPECT_EQ(outcome.statement_type, "EXPLAIN");
  EXPECT_EQ(outcome.rows.size(), 4u);
}

TEST_F(QueryTest, SaysWhatIsWrongAsTheProductDoes) {
  Expect({{"SELECT * FROM nothing",
           "002003 (42S02): SQL compilation error:\nObject 'NOTHING' does not exist or not "
           "authorized."},
          {"SELECT * FROM nope.public.orders",
           "002003 (02000): SQL compilation error:\nDatabase 'NOPE' does not exist or not "
           "authorized."},
          {"SELECT * FROM nope.orders",
           "002003 (02000): SQL compilation error:\nSchema 'SALES.NOPE' does not exist or not "
           "authorized."},
          {"SELECT \"orders\".id FROM \"orders\"",
           "002003 (42S02): SQL compilation error:\nObject '\"orders\"' does not exist or not "
           "authorized."},
          {"SELECT nope FROM orders",
           "000904 (42000): SQL compilation error: error line 1 at position 7\ninvalid identifier "
           "'NOPE'"},
          {"SELECT \"id\" FROM orders",
           "000904 (42000): SQL compilation error: error line 1 at position 7\ninvalid identifier "
           "'\"id\"'"},
          {"SELECT id FROM orders a, orders b",
           "002028 (42601): SQL compilation error:\nambiguous column name 'ID'"},
          {"SELECT\n 1 +",
           "001003 (42000): SQL compilation error:\nsyntax error line 2 at position 4 unexpected "
           "'<EOF>'."},
          {"SELECT 1 FROM",
           "001003 (42000): SQL compilation error:\nsyntax error line 1 at position 13 unexpected "
           "'<EOF>'."},
          {"SELEC 1",
           "001003 (42000): SQL compilation error:\nsyntax error line 1 at position 0 unexpected "
           "'SELEC'."},
          {"SELECT customer, count(*) FROM orders",
           "000979 (42601): SQL compilation error:\n[ORDERS.CUSTOMER] is not a valid group by "
           "expression"},
          {"SELECT o.id, o.paid FROM orders o GROUP BY id",
           "000979 (42601): SQL compilation error:\n[O.PAID] is not a valid group by expression"},
          {"SELECT nosuch(1)", "002140 (42601): SQL compilation error:\nUnknown function NOSUCH"},
          {"SELECT left('a')",
           "000938 (22023): SQL compilation error:\nnot enough arguments for function [left('a')] "
           "expected 2, got 1"},
          {"SELECT 1 / 0", "100051 (22012): Division by zero"},
          {"SELECT 'x'::int", "100038 (22018): Numeric value 'x' is not recognized"},
          {"SELECT 'x'::date", "100040 (22007): Date 'x' is not recognized"},
          {"SELECT id FROM orders WHERE paid = 'maybe'",
           "100037 (22018): Boolean value 'maybe' is not recognized"},
          {"SELECT row_number() FROM orders",
           "002303 (42601): SQL compilation error:\nWindow function type requires OVER clause: "
           "ROW_NUMBER"},
          {"SELECT 1; SELECT 2",
           "000008 (0A000): Actual statement count 2 did not match the desired statement count 1."},
          {" ; -- nothing", "000900 (42601): SQL compilation error:\nEmpty SQL statement."},
          {"BEGIN", "000002 (0A000): SQL compilation error:\nUnsupported feature 'BEGIN'."}});
}

TEST_F(QueryTest, KeepsTheWordsOfTheEngineToItself) {
  for (const char* sql : {"SELECT 1 UNION SELECT 1, 2", "SELECT id FROM orders WHERE count(*) > 1",
                          "SELECT id FROM orders ORDER BY 99", "SELECT (SELECT 1, 2)",
                          "SELECT sum(sum(id)) FROM orders",
                          "SELECT id FROM orders WHERE row_number() OVER (ORDER BY id) = 1",
                          "SELECT (1, 2) FROM orders", "SELECT id FROM orders HAVING id > 1"}) {
    std::string told = Rows(sql);
    for (const char* words : {"SELECTs to the left", "misuse of", "ORDER BY term", "sub-select",
                              "row value", "near \"", "no such", "clause is required"}) {
      EXPECT_EQ(told.find(words), told.npos) << sql << ": " << told;
    }
  }
}

TEST_F(QueryTest, NeedsADatabaseAndASchema) {
  session_ = {};
  EXPECT_EQ(Rows("SELECT * FROM orders"),
            "090105 (22000): Cannot perform SELECT. This session does not have a current database. "
            "Call 'USE DATABASE', "
            "or use a qualified name.");
  session_.database = "SALES";
  EXPECT_EQ(Rows("INSERT INTO orders (id) VALUES (1)"),
            "090106 (22000): Cannot perform INSERT. This session does not have a current schema. "
            "Call 'USE SCHEMA', or "
            "use a qualified name.");
  EXPECT_EQ(Rows("SELECT count(*) FROM public.orders"), "[[4]]");
}

}  // namespace
}  // namespace viv::engine::guest_sql
