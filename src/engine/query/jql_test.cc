#include "engine/query/jql.h"

#include "engine/query/jql_test_world.h"

namespace viv::engine::query {
namespace {

TEST_F(JqlTest, FindsEverythingForAnEmptyQuery) {
  EXPECT_EQ(Find(""), "1 2 3 4");
  EXPECT_EQ(Find("  \n"), "1 2 3 4");
  EXPECT_EQ(world_.Find(nullptr), "1 2 3 4");
}

TEST_F(JqlTest, ComparesTextIgnoringCase) {
  EXPECT_EQ(Find("status = open"), "1 4");
  EXPECT_EQ(Find("STATUS = \"In progress\""), "2");
  EXPECT_EQ(Find("status = 'In Progress'"), "2");
  EXPECT_EQ(Find("status = In\\ Progress"), "2");
}

TEST_F(JqlTest, BindsAndTighterThanOr) {
  EXPECT_EQ(Find("status = Done OR status = Open AND project = WEB"), "1 3");
  EXPECT_EQ(Find("(status = Done OR status = Open) AND project = WEB"), "1");
  EXPECT_EQ(Find("status = Done || status = Open && project = WEB"), "1 3");
}

TEST_F(JqlTest, CarriesNotDownToTheOperators) {
  EXPECT_EQ(Find("NOT (status = Open OR project = WEB)"), "3");
  EXPECT_EQ(Find("NOT (status = Open AND project = WEB)"), "2 3 4");
  EXPECT_EQ(Find("!status = Open"), "2 3");
  EXPECT_EQ(Find("NOT NOT status = Open"), "1 4");
  EXPECT_EQ(Find("not votes > 3"), "2 4");
  EXPECT_EQ(Find("NOT assignee is EMPTY"), "1 2");
}

TEST_F(JqlTest, NegatesToWhatIsNotTrue) {
  EXPECT_EQ(Find("assignee != bob"), "1 3 4");
  EXPECT_EQ(Find("NOT assignee = bob"), "1 3 4");
  EXPECT_EQ(Find("assignee was not bob"), "1 3 4");
  EXPECT_EQ(Find("assignee not in (bob, ann)"), "3 4");
  EXPECT_EQ(Find("labels != ui"), "3 4");
  EXPECT_EQ(Find("labels not in (ui, docs)"), "3");
  EXPECT_EQ(Find("NOT due < \"2025-03-14\""), "2 3");
  EXPECT_EQ(Find("text !~ login"), "2 4");
}

TEST_F(JqlTest, TestsListsOfValues) {
  EXPECT_EQ(Find("status IN (Open, \"In Progress\")"), "1 2 4");
  EXPECT_EQ(Find("status not in (Open, Done)"), "2");
  EXPECT_EQ(Find("labels in (urgent, docs)"), "1 4");
  EXPECT_EQ(Find("assignee in (EMPTY, bob)"), "2 3 4");
  EXPECT_EQ(Find("status in ((Open), Done)"), "1 3 4");
}

TEST_F(JqlTest, TestsEmptiness) {
  EXPECT_EQ(Find("assignee is EMPTY"), "3 4");
  EXPECT_EQ(Find("assignee IS NOT NULL"), "1 2");
  EXPECT_EQ(Find("assignee = empty"), "3 4");
  EXPECT_EQ(Find("labels is empty"), "3");
  EXPECT_EQ(Find("due is not empty"), "1 2 4");
}

TEST_F(JqlTest, SearchesTextByWordsAndPhrases) {
  EXPECT_EQ(Find("summary ~ log"), "1 2");
  EXPECT_EQ(Find("summary ~ \"broken LOGIN\""), "1");
  EXPECT_EQ(Find("summary ~ \"\\\"broken login\\\"\""), "");
  EXPECT_EQ(Find("summary ~ \"\\\"page is\\\"\""), "1");
  EXPECT_EQ(Find("text ~ login"), "1 3");
  EXPECT_EQ(Find("text ~ \"login OR docs\""), "1 3 4");
  EXPECT_EQ(Find("text ~ \"log* -slow\""), "1 3");
  EXPECT_EQ(Find("summary !~ log"), "3 4");
}

TEST_F(JqlTest, TakesPatternCharactersAsThemselves) {
  EXPECT_EQ(Find("summary ~ \"100%\""), "3");
  EXPECT_EQ(Find("summary ~ \"L_gin\""), "");
}

TEST_F(JqlTest, ResolvesEscapesInStrings) {
  EXPECT_EQ(Find(R"(summary ~ "\"docs\"")"), "4");
  EXPECT_EQ(Find(R"(assignee = "\u0061nn")"), "1");
  EXPECT_EQ(Find(R"(assignee = an\u006e)"), "1");
}

TEST_F(JqlTest, ComparesNumbers) {
  EXPECT_EQ(Find("votes >= 5"), "1 3");
  EXPECT_EQ(Find("votes = 12"), "3");
  EXPECT_EQ(Find("votes < 3.5"), "2 4");
  EXPECT_EQ(Find("votes in (0, 3)"), "2 4");
}

TEST_F(JqlTest, ComparesBooleans) {
  EXPECT_EQ(Find("flagged = true"),
            "error: Error in the JQL Query: 'true' is a reserved JQL word. You "
            "must surround it in quotation marks to use it in a query. (line 1, "
            "character 11)");
  EXPECT_EQ(Find("flagged = \"true\""), "1");
  EXPECT_EQ(Find("flagged = no"), "2 3 4");
}

TEST_F(JqlTest, ReadsAbsoluteDates) {
  EXPECT_EQ(Find("created >= 2025-03-01"), "1 2");
  EXPECT_EQ(Find("created >= \"2025/03/01\" AND created < \"2025-03-13 11:00\""), "2");
  EXPECT_EQ(Find("created <= \"2025-03-13 11:00\" and created >= 2025-03-13"), "1");
  EXPECT_EQ(Find("createdDate = 2025-01-01"), "4");
}

TEST_F(JqlTest, ReadsRelativeDates) {
  EXPECT_EQ(Find("created > -7d"), "1 2");
  EXPECT_EQ(Find("created > \"-1h 30m\""), "1");
  EXPECT_EQ(Find("created > -4w"), "1 2");
  EXPECT_EQ(Find("created < \"-4w 2d\""), "4");
  EXPECT_EQ(Find("due <= 2d"), "1 2 4");
  EXPECT_EQ(Find("due <= +1d"), "1 4");
}

TEST_F(JqlTest, KnowsTheDateFunctions) {
  EXPECT_EQ(Find("created >= startOfDay()"), "1");
  EXPECT_EQ(Find("created >= startOfDay(-3)"), "1 2");
  EXPECT_EQ(Find("created >= startOfMonth()"), "1 2");
  EXPECT_EQ(Find("created >= startOfMonth(\"-1\") AND created <= endOfMonth(-1M)"), "3");
  EXPECT_EQ(Find("created < startOfYear(+1d)"), "4");
  EXPECT_EQ(Find("due <= endOfWeek()"), "1 2 4");
  EXPECT_EQ(Find("due >= startOfWeek() and due <= endOfDay()"), "1");
  EXPECT_EQ(Find("due < now()"), "1 4");
}

TEST_F(JqlTest, ReadsDatesInTheUsersTimeZone) {
  world_.context().time_zone = "America/New_York";  // 08:00 there
  EXPECT_EQ(Find("created >= \"2025-03-13 07:00\""), "1");
  EXPECT_EQ(Find("created >= \"2025-03-13 07:01\""), "");
  EXPECT_EQ(Find("due = 2025-03-13"), "1");
  EXPECT_EQ(Find("due = startOfDay()"), "1");
}

TEST_F(JqlTest, KnowsTheCurrentUser) {
  EXPECT_EQ(Find("assignee = currentUser()"), "1");
  EXPECT_EQ(Find("assignee in (currentUser(), bob)"), "1 2");
  world_.context().me = "";
  EXPECT_EQ(Find("assignee = currentUser()"), "");
}

TEST_F(JqlTest, AsksAFieldForItsNamedFunctions) {
  EXPECT_EQ(Find("sprint in openSprints()"), "1 4");
  EXPECT_EQ(Find("sprint in (openSprints(), S2)"), "1 2 4");
  EXPECT_EQ(Find("sprint not in openSprints()"), "2 3");
}

TEST_F(JqlTest, ReadsQuotedAndNumberedFieldNames) {
  EXPECT_EQ(Find("\"Epic Link\" = WEB"), "1 2");
  EXPECT_EQ(Find("cf[10001] = API"), "3 4");
}

TEST_F(JqlTest, TakesWasAsThePresentValue) {
  EXPECT_EQ(Find("status WAS Open"), "1 4");
  EXPECT_EQ(Find("status was not in (Open, Done)"), "2");
  EXPECT_EQ(Find("status was not Open"), "2 3");
}

TEST_F(JqlTest, OrdersBySeveralFields) {
  EXPECT_EQ(Find("ORDER BY votes DESC"), "3 1 4 2");
  EXPECT_EQ(Find("project in (WEB, API) order by project asc, votes"), "4 3 2 1");
  EXPECT_EQ(Find("order by priority desc, created asc"), "4 1 3 2");
  EXPECT_EQ(Find("order by due"), "4 1 2 3");
  EXPECT_EQ(Find("order by due desc"), "2 1 4 3");
}

TEST_F(JqlTest, NeverSplicesAValue) {
  EXPECT_EQ(Find("assignee = \"x' OR '1'='1\""), "");
  EXPECT_EQ(Find("summary ~ \"'; DROP TABLE issue; --\""), "");
  EXPECT_EQ(Find("status = \":q0\""), "");
  EXPECT_EQ(Find(""), "1 2 3 4");
}

}  // namespace
}  // namespace viv::engine::query
