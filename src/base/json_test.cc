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
  EXPECT_EQ(PrettyJson(*ParseJson(R"({"a":[1,{"b":null}],"c":{},"d":[]})")),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}");
}

}  // namespace
}  // namespace viv
