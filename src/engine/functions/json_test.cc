#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

TEST(JsonMergeDeepTest, MergesObjectsAndReplacesTheRest) {
  Sql sql;
  EXPECT_EQ(
      sql(R"(select json_merge_deep('{"a":{"x":1,"y":2},"b":[1,2],"c":3}', '{"a":{"y":null,"z":4},"b":[3]}'))"),
      R"({"a":{"x":1,"y":null,"z":4},"b":[3],"c":3})");
  EXPECT_EQ(sql("select json_merge_deep('[1]', '{\"a\":1}')"), R"({"a":1})");
  EXPECT_EQ(sql("select json_merge_deep('{\"a\":1}', '{\"a\":{\"b\":{}}}')"), R"({"a":{"b":{}}})");
}

TEST(JsonPrettyTest, IndentsByTwoAndStaysText) {
  Sql sql;
  EXPECT_EQ(sql(R"(select json_pretty('{"a":[1,2.5],"b":{},"c":[]}'))"),
            "{\n  \"a\": [\n    1,\n    2.5\n  ],\n  \"b\": {},\n  \"c\": []\n}");
  EXPECT_EQ(sql("select json_pretty('1')"), "1");
  EXPECT_EQ(sql("select json_array(json_pretty('[1]'))"), "[\"[\\n  1\\n]\"]");
}

TEST(JsonCompactTest, DropsMembersThatSayNothing) {
  Sql sql;
  EXPECT_EQ(
      sql(R"(select json_compact('{"a":null,"b":"","c":[],"d":{"e":null},"f":0,"g":false,"h":[null,{"i":null}]}'))"),
      R"({"f":0,"g":false,"h":[null,{}]})");
  EXPECT_EQ(sql("select json_compact('null')"), "null");
}

TEST(JsonSortKeysTest, SortsAtEveryDepth) {
  EXPECT_EQ(Sql()(R"(select json_sort_keys('{"b":1.0,"a":{"d":1,"c":[{"z":1,"y":2}]}}'))"),
            R"({"a":{"c":[{"y":2,"z":1}],"d":1},"b":1.0})");
}

TEST(JsonArrayTest, AppendsValuesOfAnyKind) {
  Sql sql;
  EXPECT_EQ(sql("select json_array_append('[1]', 'x')"), R"([1,"x"])");
  EXPECT_EQ(sql("select json_array_append('[1]', '[2]')"), R"([1,"[2]"])");
  EXPECT_EQ(sql("select json_array_append('[1]', json('[2]'))"), "[1,[2]]");
  EXPECT_EQ(sql("select json_array_append('[]', 2.5)"), "[2.5]");
  EXPECT_EQ(sql("select json_array_append('[]', 9007199254740993)"), "[9007199254740993]");
  EXPECT_EQ(sql("select json_array(json_array_append('[]', 1))"), "[[1]]");
}

TEST(JsonArrayTest, RemovesContainsAndUnitesByValue) {
  Sql sql;
  EXPECT_EQ(sql("select json_array_remove('[1,\"1\",1.0,2]', 1)"), R"(["1",2])");
  EXPECT_EQ(sql("select json_array_contains('[1,{\"a\":1,\"b\":2}]', json('{\"b\":2,\"a\":1.0}'))"),
            "1");
  EXPECT_EQ(sql("select json_array_contains('[1]', '1')"), "0");
  EXPECT_EQ(sql("select json_array_contains('[]', 1)"), "0");
  EXPECT_EQ(sql("select json_array_union('[1,2,2]', '[3,2,1.0,\"1\"]')"), R"([1,2,3,"1"])");
}

TEST(JsonKnownTest, TakesTextAsTheJsonThatItIs) {
  Sql sql;
  EXPECT_EQ(sql("select json_array(json_known('{\"a\":1}'), '{}')"), R"([{"a":1},"{}"])");
  EXPECT_EQ(sql("select json_array(json_known(NULL))"), "[null]");
}

TEST(JsonPresentTest, LeavesOutWhatIsNull) {
  Sql sql;
  EXPECT_EQ(
      sql("select json_present('a', 1, 'b', NULL, 'c\"', 'x\"y', 'd', json('[1]'), 'e', '[1]', "
          "'f', 2.5, 'g', json('null'))"),
      R"({"a":1,"c\"":"x\"y","d":[1],"e":"[1]","f":2.5})");
  EXPECT_EQ(sql("select json_array(json_present('a', json_present()))"), R"([{"a":{}}])");
  EXPECT_EQ(sql("select json_present('a')"), "error: json_present: names and values come in pairs");
  EXPECT_EQ(sql("select json_present(NULL, 1)"), "error: json_present: a name is NULL");
  EXPECT_EQ(sql("select json_present('a', x'00')"),
            "error: json_present: JSON cannot hold BLOB values");
}

TEST(JsonTest, RefusesWhatIsNoJson) {
  Sql sql;
  EXPECT_TRUE(
      sql("select json_pretty('{')").starts_with("error: json_pretty: invalid JSON at byte 1"));
  EXPECT_EQ(sql("select json_array_append('{}', 1)"),
            "error: json_array_append: argument 1 must be a JSON array");
  EXPECT_EQ(sql("select json_array_union('[]', '1')"),
            "error: json_array_union: argument 2 must be a JSON array");
  std::string deep(100, '[');
  EXPECT_TRUE(sql("select json_compact(?1)", {deep + std::string(100, ']')})
                  .starts_with("error: json_compact: "));
}

TEST(JsonTest, StopsAnOutputThatGrowsTooLarge) {
  std::string wide = std::string(60, '[') + "1";
  for (int i = 0; i < 200000; ++i) wide += ",1";
  EXPECT_EQ(Sql()("select json_pretty(?1)", {wide + std::string(60, ']')}),
            "error: json_pretty: the result is too large");
}

}  // namespace
}  // namespace viv::engine::functions
