// Agents read these texts and mend their queries, so they are Jira's own.

#include "engine/query/jql_test_world.h"

namespace viv::engine::query {
namespace {

using JqlErrorsTest = JqlTest;

constexpr const char* kOperators =
    " The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and "
    "'IS "
    "NOT'.";

std::string Syntax(const std::string& text) {
  return "error: Error in the JQL Query: " + text;
}

TEST_F(JqlErrorsTest, SaysWhatItExpectedAndWhere) {
  EXPECT_EQ(Find("status = a foo"),
            Syntax("Expecting either 'OR' or 'AND' but got 'foo'. (line 1, character 12)"));
  EXPECT_EQ(Find("status = a\nAND  votes = 1 x"),
            Syntax("Expecting either 'OR' or 'AND' but got 'x'. (line 2, character 16)"));
  EXPECT_EQ(Find("invalid query"), Syntax(std::string("Expecting operator but got 'query'.") +
                                          kOperators + " (line 1, character 9)"));
  EXPECT_EQ(Find("status & Open"), Syntax(std::string("Expecting operator but got '&'.") +
                                          kOperators + " (line 1, character 8)"));
  EXPECT_EQ(
      Find("project = OR"),
      Syntax("Expecting either a value, list or function but got 'OR'. You must surround 'OR' in "
             "quotation marks to use it as a value. (line 1, character 11)"));
}

TEST_F(JqlErrorsTest, SaysWhatIsMissingAtTheEnd) {
  EXPECT_EQ(Find("status ="),
            Syntax("Expecting either a value, list or function before the end of the query."));
  EXPECT_EQ(Find("status"),
            Syntax(std::string("Expecting operator before the end of the query.") + kOperators));
  EXPECT_EQ(Find("(status = Open"), Syntax("Expecting ')' before the end of the query."));
  EXPECT_EQ(Find("status in (Open"), Syntax("Expecting ')' before the end of the query."));
  EXPECT_EQ(Find("status = Open AND"),
            Syntax("Expecting a field name before the end of the query."));
  EXPECT_EQ(Find("order"), Syntax("Expecting 'by' before the end of the query."));
  EXPECT_EQ(Find("cf["), Syntax("Expecting ']' before the end of the query."));
  EXPECT_EQ(Find("created > now("),
            Syntax("Expecting a function argument before the end of the query."));
}

TEST_F(JqlErrorsTest, RefusesWhatMustBeQuoted) {
  EXPECT_EQ(
      Find("status = for"),
      Syntax("'for' is a reserved JQL word. You must surround it in quotation marks to use it in "
             "a query. (line 1, character 10)"));
  EXPECT_EQ(
      Find("assignee = a@b.c"),
      Syntax("The character '@' is a reserved JQL character. You must enclose it in a string or "
             "use the escape '\\u0040' instead. (line 1, character 13)"));
  EXPECT_EQ(
      Find("created > 2025/01/31"),
      Syntax("The character '/' is a reserved JQL character. You must enclose it in a string or "
             "use the escape '\\u002f' instead. (line 1, character 15)"));
  EXPECT_EQ(Find(std::string("status = \x01")).substr(0, 60),
            Syntax("The character 'U+0001' is a reserved JQL").substr(0, 60));
}

TEST_F(JqlErrorsTest, RefusesBrokenStrings) {
  EXPECT_EQ(Find("status = \"Open"),
            Syntax("The quoted string 'Open' has not been completed. (line 1, character 10)"));
  EXPECT_EQ(
      Find(R"(status = "a\q")"),
      Syntax(R"('\q' is an illegal JQL escape sequence. The valid escape sequences are \', \", )"
             R"(\t, \n, \r, \\, '\ ' and \uXXXX. (line 1, character 12))"));
  EXPECT_NE(Find(R"(status = "\u12")").find("illegal JQL escape"), std::string::npos);
  EXPECT_NE(Find(R"(status = "\ud800")").find("illegal JQL escape"), std::string::npos);
  EXPECT_NE(Find("status = \\").find("illegal JQL escape"), std::string::npos);
}

TEST_F(JqlErrorsTest, RefusesUnknownNames) {
  EXPECT_EQ(Find("foo = 1"),
            "error: Field 'foo' does not exist or you do not have permission to view it.");
  EXPECT_EQ(Find("order by foo"),
            "error: Field 'foo' does not exist or you do not have permission to view it.");
  EXPECT_EQ(Find("order by labels"), "error: Not able to sort using field 'labels'.");
  EXPECT_EQ(Find("project = NOPE"),
            "error: The value 'NOPE' does not exist for the field 'project'.");
  EXPECT_EQ(Find("project in (WEB, NOPE)"),
            "error: The value 'NOPE' does not exist for the field 'project'.");
  EXPECT_EQ(Find("assignee in membersOf(devs)"),
            "error: Unable to find JQL function 'membersOf()'.");
  EXPECT_EQ(Find("assignee = now()"), "error: Unable to find JQL function 'now()'.");
}

TEST_F(JqlErrorsTest, RefusesOperatorsThatAFieldDoesNotHave) {
  EXPECT_EQ(Find("status ~ Open"),
            "error: The operator '~' is not supported by the 'status' field.");
  EXPECT_EQ(Find("summary = x"),
            "error: The operator '=' is not supported by the 'summary' field.");
  EXPECT_EQ(Find("created ~ x"),
            "error: The operator '~' is not supported by the 'created' field.");
  EXPECT_EQ(Find("labels > x"), "error: The operator '>' is not supported by the 'labels' field.");
  EXPECT_EQ(Find("text = x"), "error: The operator '=' is not supported by the 'text' field.");
  EXPECT_EQ(Find("text is empty"),
            "error: The operator 'is' is not supported by the 'text' field.");
  EXPECT_EQ(Find("NOT status ~ Open"),
            "error: The operator '~' is not supported by the 'status' field.");
}

TEST_F(JqlErrorsTest, RefusesHistory) {
  EXPECT_EQ(Find("status CHANGED"), "error: History searches do not support the 'status' field.");
  EXPECT_EQ(Find("status was Open before 2025-01-01"),
            Syntax("The history predicate 'before' is not supported. (line 1, character 17)"));
}

TEST_F(JqlErrorsTest, RefusesValuesOfTheWrongShape) {
  EXPECT_EQ(
      Find("status in Open"),
      "error: Operator 'in' does not support the non-list value '\"Open\"' for field 'status'.");
  EXPECT_EQ(Find("status = (Open, Done)"),
            "error: Operator '=' does not support the list value '(\"Open\", \"Done\")' for field "
            "'status'.");
  EXPECT_EQ(
      Find("status is Open"),
      "error: Operator 'is' only supports EMPTY and NULL, not '\"Open\"', for field 'status'.");
  EXPECT_EQ(Find("votes > empty"),
            "error: The field 'votes' does not support EMPTY with operator '>'.");
  EXPECT_EQ(
      Find("summary ~ (a, b)"),
      "error: The operator '~' does not support the value '(\"a\", \"b\")' for field 'summary'.");
  EXPECT_EQ(Find("votes = many"),
            "error: Value 'many' is invalid for the 'votes' field. It must be a number.");
  EXPECT_EQ(Find("votes = nan"),
            "error: Value 'nan' is invalid for the 'votes' field. It must be a number.");
  EXPECT_EQ(Find("flagged = maybe"),
            "error: The value 'maybe' does not exist for the field 'flagged'.");
}

TEST_F(JqlErrorsTest, RefusesBrokenDates) {
  std::string formats =
      " is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', "
      "'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.";
  for (const char* date : {"soon", "2025-02-30", "2025-13-01", "7", "-", "7x", "9999999d", "-7d x",
                           "2025-01-31T10:20", "2025-01-31 25:00", "2025-1-3"}) {
    EXPECT_EQ(Find("created > \"" + std::string(date) + "\""),
              "error: Date value '" + std::string(date) + "' for field 'created'" + formats);
  }
  EXPECT_EQ(
      Find("created > startOfDay(soon)"),
      "error: Duration for function 'startOfDay' should have the format (+/-)nn(y|M|w|d|h|m), but "
      "was 'soon'.");
}

}  // namespace
}  // namespace viv::engine::query
