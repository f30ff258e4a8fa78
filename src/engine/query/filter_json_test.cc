#include "engine/query/filter_json.h"

#include "engine/query/query_test_support.h"

namespace viv::engine::query {
namespace {

constexpr const char* kPageSchema = R"sql(
  CREATE TABLE page (id INTEGER PRIMARY KEY, created INTEGER, edited TEXT);
  INSERT INTO page VALUES
    (1, 1741867200000 - 3600000, '2025-03-13T10:00:00.000Z'),
    (2, 1741867200000 - 3 * 86400000, '2025-03-12T10:00:00.000Z'),
    (3, 1738281600000, '2025-03-11T10:00:00.000Z');
  CREATE TABLE value (page INTEGER, name TEXT, text TEXT, number REAL, date TEXT, flag INTEGER, list TEXT);
  INSERT INTO value VALUES
    (1, 'Name', 'Write plan', NULL, NULL, NULL, NULL), (2, 'Name', 'Read plan', NULL, NULL, NULL, NULL),
    (3, 'Name', 'Ship', NULL, NULL, NULL, NULL),
    (1, 'Status', 'Done', NULL, NULL, NULL, NULL), (2, 'Status', 'Doing', NULL, NULL, NULL, NULL),
    (1, 'Points', NULL, 5, NULL, NULL, NULL), (2, 'Points', NULL, 2.5, NULL, NULL, NULL),
    (1, 'Due', NULL, NULL, '2025-03-13', NULL, NULL),
    (2, 'Due', NULL, NULL, '2025-03-18T15:30:00.000+01:00', NULL, NULL),
    (1, 'Urgent', NULL, NULL, NULL, 1, NULL), (2, 'Urgent', NULL, NULL, NULL, 0, NULL),
    (1, 'Tags', NULL, NULL, NULL, NULL, '["red","blue"]'), (2, 'Tags', NULL, NULL, NULL, NULL, '["red"]');
)sql";

constexpr std::string_view kPageTarget = R"json({
  "from": "page p", "key": "p.id",
  "fields": {
    "created_time": {"sql": "p.created", "type": "date"},
    "last_edited_time": {"sql": "p.edited", "type": "date", "date_format": "iso"}
  },
  "properties": {
    "text": {"sql": "SELECT text FROM value v WHERE v.page = p.id AND v.name = :property COLLATE NOCASE",
             "known": "SELECT 1 FROM value WHERE name = :property COLLATE NOCASE"},
    "number": "SELECT number FROM value v WHERE v.page = p.id AND v.name = :property COLLATE NOCASE",
    "date": "SELECT date FROM value v WHERE v.page = p.id AND v.name = :property COLLATE NOCASE",
    "boolean": "SELECT flag FROM value v WHERE v.page = p.id AND v.name = :property COLLATE NOCASE",
    "list": {
      "match": "EXISTS (SELECT 1 FROM value v, json_each(v.list) e WHERE v.page = p.id AND v.name = :property AND e.value = :value)",
      "empty": "NOT EXISTS (SELECT 1 FROM value v, json_each(v.list) e WHERE v.page = p.id AND v.name = :property)"
    },
    "sort": "SELECT coalesce(number, date, text) FROM value v WHERE v.page = p.id AND v.name = :property"
  }
})json";

class FilterJsonTest : public testing::Test {
 protected:
  std::string Find(std::string_view filter, std::string_view sorts = "null") {
    auto parsed = ParseJson(filter, 200);
    auto order = ParseJson(sorts);
    EXPECT_TRUE(parsed && order) << filter;
    return world_.Find(*parsed, *order);
  }

  // The filter {"property": name, …conditions}.
  std::string Test(std::string_view name, std::string_view conditions) {
    return Find("{\"property\":\"" + std::string(name) + "\"," + std::string(conditions) + "}");
  }

  TestWorld world_{kPageSchema, kPageTarget, "filter_json"};
};

TEST_F(FilterJsonTest, FindsEverythingWithoutAFilter) {
  EXPECT_EQ(Find("null"), "1 2 3");
  EXPECT_EQ(Find("{}"), "1 2 3");
  EXPECT_EQ(Find("{\"and\":[]}"), "1 2 3");
  EXPECT_EQ(Find("{\"or\":[]}"), "1 2 3");
  EXPECT_EQ(world_.Find(json::value("")), "1 2 3");
}

TEST_F(FilterJsonTest, TestsText) {
  EXPECT_EQ(Test("Name", R"("title":{"equals":"ship"})"), "3");
  EXPECT_EQ(Test("name", R"("title":{"contains":"PLAN"})"), "1 2");
  EXPECT_EQ(Test("Name", R"("rich_text":{"does_not_contain":"plan"})"), "3");
  EXPECT_EQ(Test("Name", R"("title":{"starts_with":"wr"})"), "1");
  EXPECT_EQ(Test("Name", R"("title":{"ends_with":"plan"})"), "1 2");
  EXPECT_EQ(Test("Name", R"("title":{"contains":"%"})"), "");
}

TEST_F(FilterJsonTest, KeepsEmptyPropertiesWhenNegating) {
  EXPECT_EQ(Test("Status", R"("status":{"equals":"Done"})"), "1");
  EXPECT_EQ(Test("Status", R"("select":{"does_not_equal":"Done"})"), "2 3");
  EXPECT_EQ(Test("Tags", R"("multi_select":{"does_not_contain":"blue"})"), "2 3");
}

TEST_F(FilterJsonTest, TestsNumbers) {
  EXPECT_EQ(Test("Points", R"("number":{"equals":5})"), "1");
  EXPECT_EQ(Test("Points", R"("number":{"does_not_equal":5})"), "2 3");
  EXPECT_EQ(Test("Points", R"("number":{"greater_than":2.5})"), "1");
  EXPECT_EQ(Test("Points", R"("number":{"greater_than_or_equal_to":2.5})"), "1 2");
  EXPECT_EQ(Test("Points", R"("number":{"less_than":5,"greater_than":0})"), "2");
  EXPECT_EQ(Test("Points", R"("number":{"is_empty":true})"), "3");
}

TEST_F(FilterJsonTest, TestsCheckboxes) {
  EXPECT_EQ(Test("Urgent", R"("checkbox":{"equals":true})"), "1");
  EXPECT_EQ(Test("Urgent", R"("checkbox":{"equals":false})"), "2 3");
  EXPECT_EQ(Test("Urgent", R"("checkbox":{"does_not_equal":true})"), "2 3");
}

TEST_F(FilterJsonTest, TestsLists) {
  EXPECT_EQ(Test("Tags", R"("multi_select":{"contains":"red"})"), "1 2");
  EXPECT_EQ(Test("Tags", R"("people":{"is_empty":true})"), "3");
  EXPECT_EQ(Test("Tags", R"("relation":{"is_not_empty":true})"), "1 2");
}

TEST_F(FilterJsonTest, TestsDatesByDayOrMoment) {
  EXPECT_EQ(Test("Due", R"("date":{"equals":"2025-03-13"})"), "1");
  EXPECT_EQ(Test("Due", R"("date":{"equals":"2025-03-18"})"), "2");
  EXPECT_EQ(Test("Due", R"("date":{"equals":"2025-03-18T14:30:00Z"})"), "2");
  EXPECT_EQ(Test("Due", R"("date":{"after":"2025-03-13"})"), "2");
  EXPECT_EQ(Test("Due", R"("date":{"on_or_after":"2025-03-13"})"), "1 2");
  EXPECT_EQ(Test("Due", R"("date":{"before":"2025-03-18T14:30:00Z"})"), "1");
  EXPECT_EQ(Test("Due", R"("date":{"on_or_before":"2025-03-18"})"), "1 2");
  EXPECT_EQ(Test("Due", R"("date":{"is_empty":true})"), "3");
  EXPECT_EQ(Test("Due", R"("date":{"this_week":{}})"), "1");
  EXPECT_EQ(Test("Due", R"("date":{"next_week":{}})"), "1 2");
  EXPECT_EQ(Test("Due", R"("date":{"past_month":{}})"), "1");
}

TEST_F(FilterJsonTest, TestsTimestamps) {
  EXPECT_EQ(Find(R"({"timestamp":"created_time","created_time":{"past_week":{}}})"), "1 2");
  EXPECT_EQ(Find(R"({"timestamp":"created_time","created_time":{"before":"2025-03-01"}})"), "3");
  EXPECT_EQ(Find(R"({"timestamp":"last_edited_time","last_edited_time":{"after":"2025-03-12"}})"),
            "1");
  EXPECT_EQ(Find(R"({"timestamp":"last_edited_time",
                     "last_edited_time":{"equals":"2025-03-12T10:00:00.000Z"}})"),
            "2");
}

TEST_F(FilterJsonTest, TestsFormulasByTheirType) {
  EXPECT_EQ(Test("Points", R"("formula":{"number":{"greater_than":3}})"), "1");
  EXPECT_EQ(Test("Name", R"("formula":{"string":{"contains":"ship"}})"), "3");
  EXPECT_EQ(Test("Due", R"("formula":{"date":{"is_not_empty":true}})"), "1 2");
}

TEST_F(FilterJsonTest, JoinsConditions) {
  EXPECT_EQ(Find(R"({"or":[{"property":"Status","status":{"equals":"Doing"}},
                           {"and":[{"property":"Name","title":{"contains":"s"}},
                                   {"property":"Points","number":{"is_empty":true}}]}]})"),
            "2 3");
}

TEST_F(FilterJsonTest, TakesTheTextOfAFilterToo) {
  EXPECT_EQ(world_.Find(json::value(R"({"property":"Name","title":{"equals":"Ship"}})")), "3");
  EXPECT_EQ(world_.Find(json::value("{")).substr(0, 14), "error: filter:");
}

TEST_F(FilterJsonTest, SortsByPropertiesAndTimestamps) {
  EXPECT_EQ(Find("null", R"([{"property":"Points","direction":"ascending"}])"), "2 1 3");
  EXPECT_EQ(Find("null", R"([{"property":"Points","direction":"descending"}])"), "1 2 3");
  EXPECT_EQ(Find("null", R"([{"timestamp":"created_time","direction":"ascending"}])"), "3 2 1");
}

TEST_F(FilterJsonTest, RefusesWrongSorts) {
  EXPECT_EQ(Find("null", "{}"),
            "error: body failed validation: body.sorts should be an array, instead was an object.");
  EXPECT_EQ(Find("null", "[{}]"),
            "error: body failed validation: body.sorts[0] should name a property or a timestamp.");
  EXPECT_EQ(Find("null", R"([{"property":"Name","direction":"up"}])"),
            "error: body failed validation: body.sorts[0].direction should be `ascending` or "
            "`descending`.");
  world_.target().properties.clear();
  EXPECT_EQ(Find("null", R"([{"property":"Name"}])"),
            "error: Could not find sort property with name or id: Name");
}

TEST_F(FilterJsonTest, RefusesWrongShapesByTheirPlace) {
  EXPECT_EQ(Find("[]"),
            "error: body failed validation: body.filter should be an object, instead was a "
            "list.");
  EXPECT_EQ(
      Find(R"({"and":{}})"),
      "error: body failed validation: body.filter.and should be an array, instead was an object.");
  EXPECT_EQ(
      Find(R"({"and":[{"or":[5]}]})"),
      "error: body failed validation: body.filter.and[0].or[0] should be an object, instead was "
      "`5`.");
  EXPECT_EQ(Find(R"({"property":"Name"})"),
            "error: body failed validation: body.filter should say what to test.");
  EXPECT_EQ(
      Find(R"({"title":{"equals":"x"}})"),
      "error: body failed validation: body.filter should have one of `and`, `or`, `property` and "
      "`timestamp`.");
  EXPECT_EQ(Test("Name", R"("title":{})"),
            "error: body failed validation: body.filter.title should have a condition.");
  EXPECT_EQ(
      Test("Name", R"("title":5)"),
      "error: body failed validation: body.filter.title should be an object, instead was `5`.");
  EXPECT_EQ(Test("Name", R"("title":{"equals":"a"},"number":{"equals":1})"),
            "error: body failed validation: body.filter should test one type of property only.");
  EXPECT_EQ(Test("Name", R"("colour":{"equals":"a"})"),
            "error: body failed validation: body.filter.colour is no type of property that can be "
            "filtered.");
  EXPECT_EQ(Test("Name", R"("formula":{})"),
            "error: body failed validation: body.filter.formula should have one of string, number, "
            "checkbox and date.");
}

TEST_F(FilterJsonTest, RefusesWrongValues) {
  EXPECT_EQ(
      Test("Points", R"("number":{"equals":"5"})"),
      "error: body failed validation: body.filter.number.equals should be a number, instead was "
      "`\"5\"`.");
  EXPECT_EQ(
      Test("Name", R"("title":{"equals":5})"),
      "error: body failed validation: body.filter.title.equals should be a string, instead was "
      "`5`.");
  EXPECT_EQ(
      Test("Urgent", R"("checkbox":{"equals":"true"})"),
      "error: body failed validation: body.filter.checkbox.equals should be a boolean, instead "
      "was `\"true\"`.");
  EXPECT_EQ(Test("Due", R"("date":{"after":"soon"})"),
            "error: body failed validation: body.filter.date.after should be a valid ISO 8601 date "
            "string, instead was `\"soon\"`.");
  EXPECT_EQ(
      Test("Name", R"("title":{"is_empty":false})"),
      "error: body failed validation: body.filter.title.is_empty should be `true`, instead was "
      "`false`.");
  EXPECT_EQ(
      Test("Name", R"("title":{"greater_than":5})"),
      "error: body failed validation: body.filter.title.greater_than is no condition of this type "
      "of property.");
}

TEST_F(FilterJsonTest, RefusesUnknownProperties) {
  EXPECT_EQ(Test("Nope", R"("title":{"equals":"x"})"),
            "error: Could not find property with name or id: Nope");
  EXPECT_EQ(Find(R"({"timestamp":"deleted","deleted":{"past_week":{}}})"),
            "error: body failed validation: body.filter.deleted names no timestamp.");
  EXPECT_EQ(Test("created_time", R"("number":{"equals":5})"),
            "error: The property 'created_time' does not match filter number.");
}

TEST_F(FilterJsonTest, RefusesDeepNesting) {
  std::string filter = R"({"property":"Name","title":{"equals":"Ship"}})";
  for (int i = 0; i < 32; ++i) filter = "{\"and\":[" + filter + "]}";
  EXPECT_EQ(Find(filter), "3");
  EXPECT_EQ(Find("{\"and\":[" + filter + "]}"),
            "error: the filter is nested more than 32 levels deep");
}

}  // namespace
}  // namespace viv::engine::query
