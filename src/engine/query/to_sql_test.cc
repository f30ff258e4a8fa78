#include "engine/query/to_sql.h"

#include "engine/query/query_test_support.h"
#include "engine/query/sql_template.h"

namespace viv::engine::query {
namespace {

constexpr const char* kSchema = R"sql(
  CREATE TABLE row (id INTEGER PRIMARY KEY, name TEXT, tags TEXT, seconds TEXT, hidden INTEGER);
  INSERT INTO row VALUES (1, 'One', '["a","b"]', '1741867200.000100', 0), (2, 'Two', '["b"]', '1', 0),
                         (3, 'Three', '[]', NULL, 1);
)sql";

constexpr std::string_view kSqlTarget = R"json({
  "from": "row r", "key": "r.id", "where": "NOT r.hidden OR :me = 'root'", "order": "r.name",
  "text": "instr(r.name, :value) > 0",
  "fields": {
    "name": {"sql": "r.name", "case_sensitive": true},
    "any": {"sql": "r.name"},
    "tag": {"match": "EXISTS (SELECT 1 FROM json_each(r.tags) WHERE value = :value OR value = upper(:value))"},
    "at": {"sql": "r.seconds", "type": "date", "date_format": "epoch_seconds"}
  }
})json";

class ToSqlTest : public testing::Test {
 protected:
  std::string Find(std::string_view query) { return world_.Find(json::value(query)); }

  TestWorld world_{kSchema, kSqlTarget, "terms"};
};

TEST_F(ToSqlTest, HoldsEveryRowToTheTargetsOwnCondition) {
  EXPECT_EQ(Find(""), "1 2");
  EXPECT_EQ(Find("One OR Three"), "1");
  world_.context().me = "root";
  EXPECT_EQ(Find("One OR Three"), "1 3");
}

TEST_F(ToSqlTest, OrdersByTheTargetsOrderAfterTheQuerys) {
  world_.context().me = "root";
  EXPECT_EQ(Find(""), "1 3 2");
  EXPECT_EQ(Find("sort:at-asc"), "2 1 3");
}

TEST_F(ToSqlTest, TellsCaseApartWhereTheFieldSaysSo) {
  EXPECT_EQ(Find("name:one"), "");
  EXPECT_EQ(Find("name:One"), "1");
  EXPECT_EQ(Find("any:one"), "1");
}

TEST_F(ToSqlTest, ReadsSecondsWithFractions) {
  EXPECT_EQ(Find("at:2025-03-13"), "1");
  EXPECT_EQ(Find("at:<1971"), "2");
}

TEST_F(ToSqlTest, JoinsManyTermsWithinSqlitesLimits) {
  std::string words;
  for (int i = 0; i < 999; ++i) words += " n" + std::to_string(i) + " OR";
  EXPECT_EQ(Find(words + " One"), "1");
  std::string tags;
  for (int i = 0; i < 1000; ++i) tags += " tag:b";
  EXPECT_EQ(Find(tags), "1 2");
  EXPECT_EQ(Find(tags + " tag:b"), "error: the query has more than 1000 terms");
}

// A list so long that it is joined in groups, ending in `last`.
std::string LongList(const std::string& join, const std::string& last) {
  std::string list;
  for (int i = 0; i < 40; ++i) list += "tag:b" + join;
  return list + last;
}

TEST_F(ToSqlTest, NestsWithinTheStackOfSqlitesParser) {
  std::string nots = "tag:a";
  std::string lists = "tag:a";
  for (std::size_t level = 1; level < kSqlNestingMax; level += 2) {
    nots = LongList(" ", "-(" + nots + ")");
    lists = LongList(" ", "(" + LongList(" OR ", "(" + lists + ")") + ")");
    if (Find(lists).starts_with("error: the query has more")) break;
    EXPECT_FALSE(Find(nots).starts_with("SQL error")) << level << Find(nots).substr(0, 80);
    EXPECT_FALSE(Find(lists).starts_with("SQL error")) << level << Find(lists).substr(0, 80);
  }
  std::string deep = "tag:a";
  for (std::size_t level = 0; level < kDepthMax; ++level) {
    deep = "One -(zzz " + deep + ")";
    EXPECT_FALSE(Find(deep).starts_with("SQL error")) << level << Find(deep).substr(0, 80);
  }
  EXPECT_EQ(Find(deep), "error: the query mixes AND, OR and NOT more than 12 levels deep");
}

TEST_F(ToSqlTest, CountsNoLevelForSuperfluousBrackets) {
  std::string deep = std::string(100, '(') + "One" + std::string(100, ')');
  EXPECT_EQ(Find(deep), "1");
  EXPECT_EQ(Find("(" + deep + ")"), "error: the query is nested more than 100 levels deep");
}

TEST(SqlTemplateTest, ReplacesKnownParametersOnceEach) {
  int asked = 0;
  auto resolve = [&](std::string_view name) -> std::optional<std::string> {
    ++asked;
    if (name == "value") return ":q7";
    return std::nullopt;
  };
  EXPECT_EQ(FillTemplate("a = :value OR b = :value AND c = :other", resolve),
            "a = :q7 OR b = :q7 AND c = :other");
  EXPECT_EQ(asked, 2);
}

TEST(SqlTemplateTest, LeavesLiteralsAndQuotedNamesAlone) {
  auto resolve = [](std::string_view) -> std::optional<std::string> { return "X"; };
  EXPECT_EQ(FillTemplate("':value' \":value\" [:value] `:value` 'it''s :value' :value", resolve),
            "':value' \":value\" [:value] `:value` 'it''s :value' X");
  EXPECT_EQ(FillTemplate("'open :value", resolve), "'open :value");
  EXPECT_EQ(FillTemplate("a : b :", resolve), "a : b :");
}

TEST(SqlTemplateTest, QuotesForLikeAndFullText) {
  EXPECT_EQ(EscapeLike("50%_\\"), "50\\%\\_\\\\");
  EXPECT_EQ(QuotePhrase("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(Wrap("t.name"), "t.name");
  EXPECT_EQ(Wrap("a || b"), "(a || b)");
}

}  // namespace
}  // namespace viv::engine::query
