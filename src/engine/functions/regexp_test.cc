#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

TEST(RegexpTest, MatchesAnywhereInTheText) {
  Sql sql;
  EXPECT_EQ(sql("select regexp_like('hello world', 'o w')"), "1");
  EXPECT_EQ(sql("select regexp_like('hello', '^ell')"), "0");
  EXPECT_EQ(sql("select regexp_like('HELLO', '(?i)hello')"), "1");
  EXPECT_EQ(sql("select 'abc' regexp 'b.$'"), "1");
  EXPECT_EQ(sql("select 'abc' not regexp 'b.$'"), "0");
  EXPECT_EQ(sql("select regexp_like('', '^$')"), "1");
}

TEST(RegexpTest, CompilesAPatternAnewWhenItChanges) {
  Sql sql;
  EXPECT_EQ(sql("select group_concat(regexp_like('b', column1)) from (values ('a'), ('b'), ('c'), "
                "('b'))"),
            "0,1,0,1");
  EXPECT_EQ(sql("select sum(column1 regexp '^b') from (values ('a'), ('b'), ('ba'))"), "2");
}

TEST(RegexpTest, ExtractsTheMatchOrAGroup) {
  Sql sql;
  EXPECT_EQ(sql("select regexp_extract('PROJ-123 x', '[A-Z]+-(\\d+)')"), "PROJ-123");
  EXPECT_EQ(sql("select regexp_extract('PROJ-123 x', '[A-Z]+-(\\d+)', 1)"), "123");
  EXPECT_EQ(sql("select regexp_extract('x', '(a)|x', 1)"), "NULL");
  EXPECT_EQ(sql("select regexp_extract('x', 'y')"), "NULL");
}

TEST(RegexpTest, ReplacesEveryMatch) {
  Sql sql;
  EXPECT_EQ(sql("select regexp_replace('a1b22', '\\d+', '#')"), "a#b#");
  EXPECT_EQ(sql("select regexp_replace('Ann Lee', '(\\w+) (\\w+)', '\\2, \\1')"), "Lee, Ann");
  EXPECT_EQ(sql("select regexp_replace('äb', '', '-')"), "-ä-b-");
  EXPECT_EQ(sql("select regexp_replace('baac', 'a*', 'x')"), "xbxcx");
  EXPECT_EQ(sql("select regexp_replace('', 'a', 'x')"), "");
  EXPECT_EQ(sql("select regexp_replace(x'', '^', 'x')"), "x");
}

TEST(RegexpTest, RefusesWrongPatternsAndReplacements) {
  Sql sql;
  EXPECT_EQ(sql("select regexp_like('a', '(')"),
            "error: regexp_like: invalid pattern: missing ): (");
  EXPECT_EQ(sql("select 'a' regexp '['"), "error: regexp: invalid pattern: missing ]: [");
  EXPECT_EQ(sql("select regexp_extract('a', 'a', 1)"),
            "error: regexp_extract: the pattern has 0 groups, not 1");
  EXPECT_EQ(sql("select regexp_extract('a', 'a', 'x')"),
            "error: regexp_extract: argument 3 must be an integer");
  EXPECT_TRUE(sql("select regexp_replace('a', 'a', '\\1')")
                  .starts_with("error: regexp_replace: invalid replacement"));
  EXPECT_EQ(sql("select regexp_like('a', hex(zeroblob(5000)))"),
            "error: regexp_like: the pattern is too long");
}

TEST(RegexpTest, StopsAReplacementThatGrowsTooLarge) {
  Sql sql;
  EXPECT_EQ(sql("select regexp_replace(hex(zeroblob(50000)), '0', hex(zeroblob(50000)))"),
            "error: regexp_replace: the result is too large");
}

}  // namespace
}  // namespace viv::engine::functions
