#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

std::string ParseCsv(const std::string& text) {
  return Sql()("select csv_parse(?1)", {text});
}

TEST(CsvRowTest, QuotesWhatNeedsIt) {
  Sql sql;
  EXPECT_EQ(sql(R"(select csv_row('["a","b,c","say \"hi\"","x\ny",1,2.5,true,null,[1]]'))"),
            "a,\"b,c\",\"say \"\"hi\"\"\",\"x\ny\",1,2.5,true,,[1]");
  EXPECT_EQ(sql("select csv_row('[]')"), "");
  EXPECT_EQ(sql("select csv_row('{}')"), "error: csv_row: argument 1 must be a JSON array");
  EXPECT_TRUE(sql("select csv_row('a,b')").starts_with("error: csv_row: invalid JSON"));
}

TEST(CsvParseTest, ReadsRowsAndQuotedFields) {
  EXPECT_EQ(ParseCsv("a,b\r\n1,\"x,\"\"y\"\"\nz\"\r\n"), R"([["a","b"],["1","x,\"y\"\nz"]])");
  EXPECT_EQ(ParseCsv("a,,\n,"), R"([["a","",""],["",""]])");
  EXPECT_EQ(ParseCsv("a\rb\n\nc"), R"([["a"],["b"],["c"]])");
  EXPECT_EQ(ParseCsv("\xef\xbb\xbf\"a\""), R"([["a"]])");
  EXPECT_EQ(ParseCsv("a\"b"), R"([["a\"b"]])");
  EXPECT_EQ(ParseCsv(""), "[]");
  EXPECT_EQ(ParseCsv("\"\""), R"([[""]])");
}

TEST(CsvParseTest, RefusesBrokenQuotes) {
  EXPECT_EQ(ParseCsv("a\n\"b"), "error: csv_parse: line 2: a quote is not closed");
  EXPECT_EQ(ParseCsv("a\n\"b\"c"), "error: csv_parse: line 2: text after a closing quote");
}

TEST(CsvParseTest, RefusesTooManyFields) {
  EXPECT_EQ(ParseCsv(std::string(500000, ',')), "error: csv_parse: more than 500000 fields");
}

}  // namespace
}  // namespace viv::engine::functions
