// What all functions share, whatever they compute.

#include "engine/functions/functions.h"

#include <re2/re2.h>

#include <fstream>
#include <string>
#include <vector>

#include "engine/functions/families.h"
#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

std::vector<Function> AllFunctions() {
  std::vector<Function> all;
  for (std::span<const Function> family :
       {TimeFunctions(), RruleFunctions(), RegexpFunctions(), TextFunctions(), HtmlFunctions(),
        EmailFunctions(), DigestFunctions(), DiffFunctions(), CalculateFunctions(), JsonFunctions(),
        CsvFunctions()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

std::string CallWith(const Function& function, int count, const std::string& argument) {
  std::string sql = std::string("select ") + function.name + "(";
  for (int i = 0; i < count; ++i) sql += (i > 0 ? ", " : "") + argument;
  return sql + ")";
}

TEST(FunctionsTest, GiveNullForNull) {
  Sql sql;
  for (const Function& function : AllFunctions()) {
    if (function.null_handling != NullHandling::kReturnNull) continue;
    EXPECT_EQ(sql(CallWith(function, function.arguments_max, "NULL")), "NULL") << function.name;
  }
}

TEST(FunctionsTest, SurviveAnyTypeAndNameThemselvesInErrors) {
  Sql sql;
  const std::string arguments[] = {
      "''",        "'x'",  "-1",          "9223372036854775807",       "1e300",
      "x'00ff80'", "'[]'", "'{\"a\":1}'", "cast(x'f09f98ff' as text)", "json('[1]')"};
  for (const Function& function : AllFunctions()) {
    for (const std::string& argument : arguments) {
      for (int count = function.arguments_min; count <= function.arguments_max; ++count) {
        std::string result = sql(CallWith(function, count, argument));
        if (!result.starts_with("error: ")) continue;
        EXPECT_TRUE(result.starts_with(std::string("error: ") + function.name + ": ")) << result;
      }
    }
  }
}

TEST(FunctionsTest, RefuseAWrongNumberOfArgumentsWhilePreparing) {
  Sql sql;
  EXPECT_EQ(sql("select time_parse()"),
            "error: wrong number of arguments to function time_parse()");
  EXPECT_EQ(sql("select fold('a', 'b')"), "error: wrong number of arguments to function fold()");
}

TEST(FunctionsTest, RefuseArgumentsBeyondTheLimit) {
  Sql sql;
  EXPECT_EQ(sql("select fold(zeroblob(16777217))"), "error: fold: the arguments are too large");
}

TEST(FunctionsTest, RefuseResultsBeyondTheLimit) {
  Sql sql;
  EXPECT_EQ(sql("select text_to_html(replace(hex(zeroblob(2000000)), '0', '\"'))"),
            "error: text_to_html: the result is too large");
}

TEST(FunctionsTest, CanBeUsedInIndexesAndUntrustedSchemas) {
  Sql sql;
  sql("pragma trusted_schema = off");
  sql("create table t (name text)");
  EXPECT_EQ(sql("create index by_name on t (fold(name))"), "(no row)");
  sql("create view v as select fold('Ä') as x");
  EXPECT_EQ(sql("select x from v"), "a");
}

std::string Replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

TEST(FunctionsTest, DoWhatTheirReadmeSays) {
  Sql sql;
  std::ifstream readme(VIV_SOURCE_DIR "/src/engine/functions/README.md");
  const re2::RE2 row(R"(\|.*\| `(.*)` → `(.*)` \|)");
  int examples = 0;
  for (std::string line; std::getline(readme, line);) {
    std::string call;
    std::string result;
    if (!re2::RE2::FullMatch(line, row, &call, &result)) continue;
    ++examples;
    EXPECT_EQ(sql("select " + Replaced(call, "⏎", "' || char(10) || '")),
              Replaced(result, "⏎", "\n"))
        << call;
  }
  EXPECT_GT(examples, 30);
}

}  // namespace
}  // namespace viv::engine::functions
