#include "schema/json_schema.h"

#include <gtest/gtest.h>

namespace viv::schema {
namespace {

std::string Violation(std::string_view schema, std::string_view value) {
  return FindSchemaViolation(*ParseJson(schema), *ParseJson(value)).value_or("");
}

TEST(InputSchemaTest, NamesTheMissingProperty) {
  EXPECT_EQ(Violation(R"({"type":"object","required":["text"]})", "{}"),
            "'text' is a required property");
}

TEST(InputSchemaTest, SaysWhereAWrongTypeIs) {
  std::string_view schema =
      R"({"properties":{"user_ids":{"type":"array","items":{"type":"string"}}}})";
  EXPECT_EQ(Violation(schema, R"({"user_ids":["a",5]})"),
            "5 is not of type 'string' (at user_ids[1])");
  EXPECT_EQ(Violation(schema, R"({"user_ids":"a"})"), "'a' is not of type 'array' (at user_ids)");
  EXPECT_EQ(Violation(schema, R"({"user_ids":["a"],"more":1})"), "");
}

TEST(InputSchemaTest, TellsIntegersFromNumbersByValue) {
  EXPECT_EQ(Violation(R"({"type":"integer"})", "5.0"), "");
  EXPECT_EQ(Violation(R"({"type":"integer"})", "5.5"), "5.5 is not of type 'integer'");
  EXPECT_EQ(Violation(R"({"type":"integer"})", "9223372036854775807"), "");
  EXPECT_EQ(Violation(R"({"type":"integer"})", "9223372036854775808"),
            "9223372036854775808 does not fit into an integer of 64 bits");
  EXPECT_NE(Violation(R"({"type":"integer"})", "-1e19"), "");
  EXPECT_NE(Violation(R"({"type":["integer","null"]})", "1e19"), "");
  EXPECT_EQ(Violation(R"({"type":["string","null"]})", "true"),
            "True is not of type 'string', 'null'");
}

TEST(InputSchemaTest, ListsTheChoices) {
  EXPECT_EQ(Violation(R"({"enum":["a","b"]})", R"("c")"), "'c' is not one of ['a', 'b']");
}

TEST(InputSchemaTest, HoldsLimits) {
  EXPECT_EQ(Violation(R"({"maximum":10})", "11"), "11 is greater than the maximum of 10");
  EXPECT_EQ(Violation(R"({"maxLength":2})", R"("äöü")"), "'äöü' is too long");
  EXPECT_EQ(Violation(R"({"additionalProperties":false,"properties":{}})", R"({"x":1})"),
            "Additional properties are not allowed ('x' was unexpected)");
  EXPECT_EQ(Violation(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1"),
            "1 is not valid under any of the given schemas");
}

TEST(InputSchemaTest, FillsDefaultsOfAbsentArgumentsOnly) {
  json::object schema =
      ParseJson(R"({"properties":{"a":{"default":1},"b":{"default":2}}})")->as_object();
  EXPECT_EQ(json::serialize(WithDefaults(schema, {{"b", nullptr}})), R"({"b":null,"a":1})");
}

}  // namespace
}  // namespace viv::schema
