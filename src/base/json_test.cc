#include "base/json.h"

#include <gtest/gtest.h>

namespace viv {
namespace {

TEST(JsonTest, ParsesOneWholeDocument) {
  EXPECT_EQ(ParseJson(R"({"a":[1,2]})")->at("a").at(1).as_int64(), 2);
  EXPECT_TRUE(ParseJson("1").has_value());
  EXPECT_FALSE(ParseJson("1 2").has_value());
  EXPECT_FALSE(ParseJson("{").has_value());
  EXPECT_FALSE(ParseJson("").has_value());
  EXPECT_FALSE(ParseJson("\"\xff\xfe\"").has_value());
}

TEST(JsonTest, RefusesNestingPastTheLimit) {
  std::string deep(100, '[');
  deep.append(100, ']');
  EXPECT_FALSE(ParseJson(deep).has_value());
  EXPECT_TRUE(ParseJson(deep, 200).has_value());
}

TEST(JsonTest, PrettyPrintsAsJavaScriptDoes) {
  EXPECT_EQ(
      PrettyJson(*ParseJson(R"({"a":[1,{"b":null}],"c":{},"d":[]})")),
      "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}");
}

TEST(JsonTest, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(WriteJson(*ParseJson("[1.5, 100.0, -0.25, 1e300, 3, 18446744073709551615]")),
            "[1.5,100.0,-0.25,1e+300,3,18446744073709551615]");
}

TEST(JsonTest, EscapesWhatStringsMayNotHold) {
  EXPECT_EQ(WriteJson(json::string("a\"b\\c\n\x01é")), "\"a\\\"b\\\\c\\n\\u0001é\"");
}

}  // namespace
}  // namespace viv
