#include "engine/query/query_test_support.h"

namespace viv::engine::query {
namespace {

constexpr std::string_view kCompileTarget =
    R"({"from":"t","key":"t.id","text":["t.name"],"fields":{"name":"t.name","points":{"sql":"t.points","type":"number"}}})";

Result<Compiled> Ask(std::string_view language, const json::value& query) {
  Context context;
  context.now_ms = kTestNowMs;
  return Compile(language, query, MustParseTarget(kCompileTarget), context);
}

std::string CompileErrorOf(std::string_view language, const json::value& query) {
  auto compiled = Ask(language, query);
  return compiled ? "accepted" : compiled.error().message;
}

TEST(CompileTest, GivesTheStatementAndItsParts) {
  auto compiled = Ask("jql", "name = 'x' and points >= 2 order by points desc");
  ASSERT_TRUE(compiled);
  EXPECT_EQ(compiled->condition, "((t.name = :q0 COLLATE NOCASE) AND (t.points >= :q1))");
  EXPECT_EQ(compiled->order, "t.points DESC NULLS LAST, t.id");
  EXPECT_EQ(compiled->sql,
            "SELECT t.id FROM t WHERE " + compiled->condition + " ORDER BY " + compiled->order);
  ASSERT_EQ(compiled->parameters.size(), 2u);
  EXPECT_EQ(compiled->parameters[0], (std::pair<std::string, json::value>(":q0", "x")));
  EXPECT_EQ(compiled->parameters[1], (std::pair<std::string, json::value>(":q1", 2)));
}

TEST(CompileTest, GivesTheSameStatementForTheSameQuestion) {
  EXPECT_EQ(Ask("jql", "name = x")->sql, Ask("terms", "name:x")->sql);
}

TEST(CompileTest, RefusesUnknownLanguages) {
  EXPECT_EQ(CompileErrorOf("sql", ""),
            "unknown query language 'sql'; known are filter_json, jql and terms");
}

TEST(CompileTest, RefusesQueriesThatAreNoText) {
  EXPECT_EQ(CompileErrorOf("jql", 5), "the query must be text");
  EXPECT_EQ(CompileErrorOf("terms", json::object()), "the query must be text");
  EXPECT_EQ(CompileErrorOf("terms", "\xff"), "the query is not UTF-8");
}

TEST(CompileTest, LimitsTheLengthOfAQuery) {
  std::string blanks(kTextBytesMax, ' ');
  EXPECT_EQ(CompileErrorOf("jql", json::value(blanks)), "accepted");
  EXPECT_EQ(CompileErrorOf("jql", json::value(blanks + " ")),
            "the query is longer than 65536 bytes");
  EXPECT_EQ(CompileErrorOf("filter_json", json::value(blanks + " ")),
            "the query is longer than 65536 bytes");
}

TEST(CompileTest, LimitsTheLengthOfAValue) {
  std::string longest(kValueBytesMax, '%');
  EXPECT_EQ(CompileErrorOf("jql", json::value("name ~ \"" + longest + "\"")), "accepted");
  EXPECT_EQ(CompileErrorOf("jql", json::value("name ~ \"x" + longest + "\"")),
            "a value of the query is too long");
  EXPECT_EQ(CompileErrorOf("terms", json::value("x" + longest)),
            "a value of the query is too long");
  EXPECT_EQ(CompileErrorOf("terms", json::value("name:x" + longest)),
            "a value of the query is too long");
}

TEST(CompileTest, LimitsNesting) {
  std::string open(kDepthMax + 1, '(');
  std::string close(kDepthMax + 1, ')');
  std::string_view message = "the query is nested more than 100 levels deep";
  EXPECT_EQ(CompileErrorOf("jql", json::value(open + "name = x" + close)), message);
  EXPECT_EQ(CompileErrorOf("jql", json::value("name in " + open + "x" + close)), message);
  EXPECT_EQ(CompileErrorOf("terms", json::value(open + "x" + close)), message);
  EXPECT_EQ(CompileErrorOf("jql", json::value(open.substr(1) + "name = x" + close.substr(1))),
            "accepted");
}

TEST(CompileTest, LimitsTheNumberOfTerms) {
  std::string list = "name in (x";
  for (int i = 0; i < 1000; ++i) list += ", x";
  EXPECT_EQ(CompileErrorOf("jql", json::value(list + ")")), "the query has more than 1000 terms");
  std::string words;
  for (int i = 0; i < 1001; ++i) words += "x ";
  EXPECT_EQ(CompileErrorOf("terms", json::value(words)), "the query has more than 1000 terms");
  EXPECT_EQ(CompileErrorOf("jql", json::value("name ~ \"" + words + "\"")),
            "the query has more than 1000 terms");
}

TEST(CompileTest, SortsAnyLanguageByTheCallersSorts) {
  Target target = MustParseTarget(kCompileTarget);
  json::value sorts = {{{"field", "points"}, {"direction", "desc"}}};
  auto compiled = Compile("terms", "x sort:name-asc", target, Context{}, sorts);
  ASSERT_TRUE(compiled) << compiled.error().message;
  EXPECT_EQ(compiled->order,
            "t.name COLLATE NOCASE ASC NULLS LAST, t.points DESC NULLS LAST, t.id");
}

TEST(CompileTest, RefusesAnUnknownTimeZone) {
  Context context;
  context.time_zone = "Mars/Base";
  auto compiled = Compile("jql", "", MustParseTarget(kCompileTarget), context);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().message, "unknown time zone 'Mars/Base'");
}

}  // namespace
}  // namespace viv::engine::query
