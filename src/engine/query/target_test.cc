#include "engine/query/query_test_support.h"

namespace viv::engine::query {
namespace {

std::string TargetErrorOf(std::string_view declaration) {
  auto value = ParseJson(declaration);
  EXPECT_TRUE(value) << declaration;
  if (!value) return "not JSON";
  auto target = ParseTarget(*value);
  return target ? "accepted" : target.error().message;
}

std::string FieldError(std::string_view field) {
  return TargetErrorOf("{\"from\":\"t\",\"key\":\"id\",\"fields\":{\"f\":" + std::string(field) +
                       "}}");
}

TEST(TargetTest, ReadsAStringAsTheSqlOfAField) {
  Target target = MustParseTarget(R"({"from":"t","key":"id","fields":{"name":"t.name"}})");
  ASSERT_NE(FindField(target, "NAME"), nullptr);
  EXPECT_EQ(FindField(target, "NAME")->sql, "t.name");
  EXPECT_EQ(FindField(target, "nam"), nullptr);
}

TEST(TargetTest, FindsFieldsByTheirAliases) {
  Target target = MustParseTarget(
      R"({"from":"t","key":"id","fields":{"name":{"sql":"t.name","aliases":["title"]}}})");
  EXPECT_EQ(FindField(target, "Title"), &target.fields["name"]);
}

TEST(TargetTest, ReadsEveryOption) {
  Target target = MustParseTarget(R"({
    "from": "t", "key": "id", "text": "t.a = :value", "where": "1", "order": "a", "strict": true,
    "or_binds": "loose", "week_start": "monday",
    "fields": {"f": {"sql": "s", "match": "m", "contains": "c", "empty": "e", "order": "o",
      "known": "k", "type": "date", "date_format": "day", "compare": "during", "case_sensitive": true,
      "repeat": "or", "strip": "@", "separator": ",", "values": {"x": "y"}, "aliases": ["g"],
      "operators": ["="]}},
    "properties": {"number": "n", "date": "d", "checkbox": "b"}})");
  EXPECT_TRUE(target.strict);
  EXPECT_EQ(target.or_binds, OrBinds::kLoose);
  EXPECT_EQ(target.week_start, WeekStart::kMonday);
  const Field& field = target.fields["f"];
  EXPECT_EQ(field.date_format, DateFormat::kDay);
  EXPECT_EQ(field.compare, Compare::kOn);
  EXPECT_TRUE(field.repeat_or && field.case_sensitive);
  EXPECT_EQ(field.values.at("x"), "y");
  EXPECT_EQ(target.properties["number"].type, FieldType::kNumber);
  EXPECT_EQ(target.properties["date"].date_format, DateFormat::kIso);
  EXPECT_EQ(target.properties["checkbox"].type, FieldType::kBoolean);
}

TEST(TargetTest, NamesAnUnknownKeyAndTheKnownOnes) {
  EXPECT_EQ(TargetErrorOf(R"({"form":"t"})"),
            "unknown key 'form'; known are fields, from, key, or_binds, order, properties, strict, "
            "text, week_start or where");
  EXPECT_EQ(FieldError(R"({"sqll":"x"})").substr(0, 33), "fields: f: unknown key 'sqll'; kn");
}

TEST(TargetTest, RefusesMissingParts) {
  EXPECT_EQ(TargetErrorOf(R"({"key":"id"})"), "from: is missing");
  EXPECT_EQ(TargetErrorOf(R"({"from":"t"})"), "key: is missing");
  EXPECT_EQ(TargetErrorOf("[]"), "expected names and values");
  EXPECT_EQ(FieldError("{}"), "fields: f: needs one of contains, match, sql or values");
}

TEST(TargetTest, RefusesWrongTypes) {
  EXPECT_EQ(TargetErrorOf(R"({"from":1})"), "from: expected text");
  EXPECT_EQ(TargetErrorOf(R"({"strict":"yes"})"), "strict: expected true or false");
  EXPECT_EQ(TargetErrorOf(R"({"fields":[]})"), "fields: expected names with a field each");
  EXPECT_EQ(TargetErrorOf(R"({"properties":[]})"),
            "properties: expected property types with a field each");
  EXPECT_EQ(TargetErrorOf(R"({"text":[1]})"), "text: expected a list of texts");
  EXPECT_EQ(FieldError("5"), "fields: f: expected names and values");
  EXPECT_EQ(FieldError(R"({"type":"time"})"),
            "fields: f: type: expected text, number, date or boolean");
  EXPECT_EQ(FieldError(R"({"values":["x"]})"),
            "fields: f: values: expected names with a condition each");
  EXPECT_EQ(FieldError(R"({"values":{"x":1}})"),
            "fields: f: values: expected a condition for each name");
  EXPECT_EQ(FieldError(R"({"aliases":"x"})"), "fields: f: aliases: expected a list of texts");
}

TEST(TargetTest, RefusesAComparisonThatTheFieldCannotAnswer) {
  EXPECT_EQ(FieldError(R"({"sql":"s","compare":"larger"})"),
            "fields: f: larger and smaller need type: number");
  EXPECT_EQ(FieldError(R"({"sql":"s","compare":"before"})"),
            "fields: f: this compare needs type: date");
  EXPECT_EQ(FieldError(R"({"match":"m","type":"date","compare":"before"})"),
            "fields: f: this compare needs sql");
  EXPECT_EQ(FieldError(R"({"match":"m","compare":"contains"})"),
            "fields: f: compare: contains needs sql of type text, or contains");
  EXPECT_EQ(FieldError(R"({"sql":"s","separator":"ab"})"),
            "fields: f: separator: expected one character");
}

TEST(TargetTest, RefusesOneNameForTwoFields) {
  EXPECT_EQ(TargetErrorOf(
                R"({"from":"t","key":"id","fields":{"a":"x","b":{"sql":"y","aliases":["A"]}}})"),
            "fields: 'A' names both a and b");
}

}  // namespace
}  // namespace viv::engine::query
