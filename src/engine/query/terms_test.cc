#include "engine/query/terms.h"

#include "engine/query/query_test_support.h"

namespace viv::engine::query {
namespace {

constexpr const char* kMailSchema = R"sql(
  CREATE TABLE mail (id INTEGER PRIMARY KEY, sender TEXT, subject TEXT, body TEXT, labels TEXT,
    unread INTEGER, starred INTEGER, size INTEGER, sent INTEGER, stars INTEGER, channel TEXT);
  INSERT INTO mail VALUES
    (1, 'Amy <amy@x.com>', 'Dinner plans', 'See you at eight', '["inbox","work"]', 1, 0, 2000,
     1741867200000 - 3600000, 5, 'general'),
    (2, 'David <david@x.com>', 'Re: dinner', 'bring wine', '["inbox"]', 0, 1, 6000000,
     1741867200000 - 3 * 86400000, 50, 'random'),
    (3, 'bot@ci.dev', 'Build failed', 'see http://ci.dev/1 now', '["work","ci"]', 1, 0, 300,
     1738281600000, 100, 'ci builds'),
    (4, 'amy@x.com', 'Old news', '50% off key:value', '[]', 0, 0, 12000000,
     1700000000000, NULL, 'general');
)sql";

constexpr std::string_view kMailTarget = R"json({
  "from": "mail m", "key": "m.id", "text": ["m.subject", "m.body", "m.sender"],
  "fields": {
    "from": {"sql": "m.sender", "compare": "contains", "strip": "@", "values": {"me": "m.sender LIKE :me || '%'"}},
    "subject": {"contains": ["m.subject"]},
    "label": {"match": "EXISTS (SELECT 1 FROM json_each(m.labels) WHERE value = :value COLLATE NOCASE)"},
    "topic": {"match": "EXISTS (SELECT 1 FROM json_each(m.labels) WHERE value = :value)", "repeat": "or"},
    "tag": {"match": "EXISTS (SELECT 1 FROM json_each(m.labels) WHERE value = :value)", "separator": ","},
    "is": {"values": {"unread": "m.unread = 1", "read": "m.unread = 0", "starred": "m.starred"}},
    "in": {"sql": "m.channel", "strip": "#", "values": {"anywhere": "1"}},
    "unread": {"sql": "m.unread", "type": "boolean"},
    "after": {"sql": "m.sent", "type": "date", "compare": "since"},
    "since": {"sql": "m.sent", "type": "date", "compare": "after"},
    "before": {"sql": "m.sent", "type": "date", "compare": "before"},
    "until": {"sql": "m.sent", "type": "date", "compare": "until"},
    "on": {"sql": "m.sent", "type": "date", "compare": "on"},
    "during": {"sql": "m.sent", "type": "date", "compare": "during"},
    "older_than": {"sql": "m.sent", "type": "date", "compare": "older_than"},
    "newer_than": {"sql": "m.sent", "type": "date", "compare": "newer_than"},
    "larger": {"sql": "m.size", "type": "number", "compare": "larger"},
    "smaller": {"sql": "m.size", "type": "number", "compare": "smaller"},
    "stars": {"sql": "m.stars", "type": "number"},
    "created": {"sql": "m.sent", "type": "date"}
  }
})json";

class TermsTest : public testing::Test {
 protected:
  std::string Find(std::string_view query) { return world_.Find(json::value(query)); }

  TestWorld world_{kMailSchema, kMailTarget, "terms"};
};

TEST_F(TermsTest, FindsEverythingForAnEmptyQuery) {
  EXPECT_EQ(Find(""), "1 2 3 4");
  EXPECT_EQ(Find(" \t"), "1 2 3 4");
}

TEST_F(TermsTest, FindsRowsWithAllWords) {
  EXPECT_EQ(Find("dinner"), "1 2");
  EXPECT_EQ(Find("dinner wine"), "2");
  EXPECT_EQ(Find("dinner AND wine"), "2");
  EXPECT_EQ(Find("+dinner din*"), "1 2");
}

TEST_F(TermsTest, TakesAPhraseAsOne) {
  EXPECT_EQ(Find("\"you at\""), "1");
  EXPECT_EQ(Find("\"at you\""), "");
  EXPECT_EQ(Find("\"50% off"), "4");
  EXPECT_EQ(Find("\"\""), "1 2 3 4");
}

TEST_F(TermsTest, LeavesOutUnwantedTerms) {
  EXPECT_EQ(Find("-dinner"), "3 4");
  EXPECT_EQ(Find("dinner -from:amy"), "2");
  EXPECT_EQ(Find("NOT dinner"), "3 4");
  EXPECT_EQ(Find("-\"you at\" dinner"), "2");
  EXPECT_EQ(Find("-(from:amy OR label:ci)"), "2");
  EXPECT_EQ(Find("-label:work"), "2 4");
  EXPECT_EQ(Find("NOT -dinner"), "1 2");
}

TEST_F(TermsTest, BindsOrTightlyUnlessToldOtherwise) {
  EXPECT_EQ(Find("from:amy OR from:david dinner"), "1 2");
  EXPECT_EQ(Find("from:bot OR wine dinner"), "2");
  world_.target().or_binds = OrBinds::kLoose;
  EXPECT_EQ(Find("from:bot OR wine dinner"), "2 3");
  EXPECT_EQ(Find("from:amy dinner OR label:ci"), "1 3");
}

TEST_F(TermsTest, TakesBracesAsEither) {
  EXPECT_EQ(Find("{from:david from:bot}"), "2 3");
  EXPECT_EQ(Find("{from:david from:bot} build"), "3");
  EXPECT_EQ(Find("-{from:david from:bot}"), "1 4");
}

TEST_F(TermsTest, GroupsWithParentheses) {
  EXPECT_EQ(Find("(dinner wine) OR build"), "2 3");
  EXPECT_EQ(Find("from:(amy OR bot)"), "1 3 4");
  EXPECT_EQ(Find("subject:(dinner plans)"), "1");
  EXPECT_EQ(Find("subject:{plans build}"), "1 3");
  EXPECT_EQ(Find("subject:(dinner -plans)"), "2");
}

TEST_F(TermsTest, ComparesKeysAsTheAppDeclares) {
  EXPECT_EQ(Find("from:AMY"), "1 4");
  EXPECT_EQ(Find("subject:\"build failed\""), "3");
  EXPECT_EQ(Find("label:WORK label:ci"), "3");
  EXPECT_EQ(Find("in:general"), "1 4");
  EXPECT_EQ(Find("in:#general from:@amy"), "1 4");
  EXPECT_EQ(Find("in:\"ci builds\""), "3");
  EXPECT_EQ(Find("unread:true"), "1 3");
  EXPECT_EQ(Find("FROM:amy"), "1 4");
}

TEST_F(TermsTest, KnowsNamedValues) {
  EXPECT_EQ(Find("is:unread"), "1 3");
  EXPECT_EQ(Find("is:Starred"), "2");
  EXPECT_EQ(Find("-is:unread"), "2 4");
  EXPECT_EQ(Find("in:anywhere"), "1 2 3 4");
  world_.context().me = "bot";
  EXPECT_EQ(Find("from:me"), "3");
  EXPECT_EQ(Find("is:nonsense"), "");
}

TEST_F(TermsTest, MeansEitherWhereARepeatedKeySaysSo) {
  EXPECT_EQ(Find("topic:ci topic:inbox"), "1 2 3");
  EXPECT_EQ(Find("topic:ci topic:inbox dinner"), "1 2");
  EXPECT_EQ(Find("topic:ci -topic:inbox"), "3");
  EXPECT_EQ(Find("tag:ci,inbox"), "1 2 3");
  EXPECT_EQ(Find("tag:\"ci,inbox\""), "");
}

TEST_F(TermsTest, ComparesNumbersAndRanges) {
  EXPECT_EQ(Find("stars:50"), "2");
  EXPECT_EQ(Find("stars:10..50"), "2");
  EXPECT_EQ(Find("stars:>=50"), "2 3");
  EXPECT_EQ(Find("stars:>50"), "3");
  EXPECT_EQ(Find("stars:*..50"), "1 2");
  EXPECT_EQ(Find("stars:50..*"), "2 3");
  EXPECT_EQ(Find("stars:<6"), "1");
  EXPECT_EQ(Find("-stars:>=50"), "1 4");
}

TEST_F(TermsTest, ComparesSizesWithUnits) {
  EXPECT_EQ(Find("larger:5M"), "2 4");
  EXPECT_EQ(Find("larger:10m"), "4");
  EXPECT_EQ(Find("smaller:1K"), "3");
  EXPECT_EQ(Find("smaller:2001"), "1 3");
}

TEST_F(TermsTest, ComparesDates) {
  EXPECT_EQ(Find("after:2025/03/10"), "1 2");
  EXPECT_EQ(Find("since:2025/03/10"), "1");
  EXPECT_EQ(Find("before:2025-01-31"), "4");
  EXPECT_EQ(Find("until:2025-01-31"), "3 4");
  EXPECT_EQ(Find("on:2025-03-13"), "1");
  EXPECT_EQ(Find("on:today"), "1");
  EXPECT_EQ(Find("during:march"), "1 2");
  EXPECT_EQ(Find("during:2023"), "4");
  EXPECT_EQ(Find("created:>=2025-01-31"), "1 2 3");
  EXPECT_EQ(Find("created:>2025-01-31"), "1 2");
  EXPECT_EQ(Find("created:2025-01-01..2025-03-10"), "2 3");
  EXPECT_EQ(Find("created:2025-03-10"), "2");
  EXPECT_EQ(Find("created:<2025-03-13T11:00:00Z"), "2 3 4");
}

TEST_F(TermsTest, ComparesAges) {
  EXPECT_EQ(Find("newer_than:2d"), "1");
  EXPECT_EQ(Find("older_than:1m"), "3 4");
  EXPECT_EQ(Find("older_than:1y"), "4");
  EXPECT_EQ(Find("newer_than:1w older_than:2h"), "2");
}

TEST_F(TermsTest, SortsByAField) {
  EXPECT_EQ(Find("sort:created-asc"), "4 3 2 1");
  EXPECT_EQ(Find("dinner sort:created"), "1 2");
  EXPECT_EQ(Find("sort:stars-desc"), "3 2 1 4");
  EXPECT_EQ(Find("sort:nonsense"), "");
}

TEST_F(TermsTest, TakesAnUnknownKeyAsWords) {
  EXPECT_EQ(Find("key:value"), "4");
  EXPECT_EQ(Find("key:\"value\""), "4");
  EXPECT_EQ(Find("nokey:value"), "");
  EXPECT_EQ(Find("http://ci.dev/1"), "3");
}

TEST_F(TermsTest, RefusesAnUnknownKeyWhenStrict) {
  world_.target().strict = true;
  EXPECT_EQ(Find("key:value"), "error: Unknown search qualifier 'key:'.");
  EXPECT_EQ(Find("is:nonsense"),
            "error: \"nonsense\" is not a value of is:, which takes read, starred or unread.");
  EXPECT_EQ(Find("http://ci.dev/1"), "3");
}

TEST_F(TermsTest, SurvivesBrokenSyntax) {
  EXPECT_EQ(Find("(dinner"), "1 2");
  EXPECT_EQ(Find("dinner)"), "");
  EXPECT_EQ(Find(") dinner"), "1 2");
  EXPECT_EQ(Find("{from:david"), "2");
  EXPECT_EQ(Find("(dinner} wine)"), "2");
  EXPECT_EQ(Find("OR dinner OR"), "1 2");
  EXPECT_EQ(Find("dinner OR OR build"), "1 2 3");
  EXPECT_EQ(Find("NOT"), "1 2 3 4");
  EXPECT_EQ(Find("from:"), "1 2 3 4");
  EXPECT_EQ(Find("from: amy"), "1 4");
  EXPECT_EQ(Find("()"), "1 2 3 4");
  EXPECT_EQ(Find("{}"), "1 2 3 4");
}

TEST_F(TermsTest, RefusesValuesThatCannotBeCompared) {
  EXPECT_EQ(Find("created:soon"), "error: \"soon\" is not a recognized date/time format.");
  EXPECT_EQ(Find("created:>"), "error: \"\" is not a recognized date/time format.");
  EXPECT_EQ(Find("created:2025-01-01..later"),
            "error: \"later\" is not a recognized date/time format.");
  EXPECT_EQ(Find("after:2025/02/30"),
            "error: \"2025/02/30\" is not a recognized date/time format.");
  EXPECT_EQ(Find("stars:many"), "error: \"many\" is not a number.");
  EXPECT_EQ(Find("stars:inf"), "error: \"inf\" is not a number.");
  EXPECT_EQ(Find("older_than:7"), "error: \"7\" is not an age such as 7d, 2m or 1y.");
  EXPECT_EQ(Find("older_than:xd"), "error: \"xd\" is not an age such as 7d, 2m or 1y.");
  EXPECT_EQ(Find("larger:big"), "error: \"big\" is not a size such as 500, 10K or 5M.");
  EXPECT_EQ(Find("larger:M"), "error: \"M\" is not a size such as 500, 10K or 5M.");
  EXPECT_EQ(Find("unread:perhaps"), "error: \"perhaps\" is neither true nor false.");
}

TEST_F(TermsTest, RefusesWordsWhereTheyCannotBeSearched) {
  world_.target().text.clear();
  EXPECT_EQ(Find("from:amy"), "1 4");
  EXPECT_EQ(Find("amy"), "error: 'amy' is no key:value, and free words cannot be searched here");
}

TEST_F(TermsTest, NeverSplicesAValue) {
  EXPECT_EQ(Find("in:x'OR'1'='1"), "");
  EXPECT_EQ(Find("\"'; DROP TABLE mail; --\""), "");
  EXPECT_EQ(Find(":q0 ?1 @x $y"), "");
}

}  // namespace
}  // namespace viv::engine::query
