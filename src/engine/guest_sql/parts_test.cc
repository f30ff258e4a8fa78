// The small parts by themselves: tokens, names, LIKE, dates, types.
#include <gtest/gtest.h>

#include "engine/guest_sql/cursor.h"
#include "engine/guest_sql/like.h"
#include "engine/guest_sql/moment.h"
#include "engine/guest_sql/names.h"
#include "engine/guest_sql/numbers.h"
#include "engine/guest_sql/token.h"
#include "engine/guest_sql/types.h"

namespace viv::engine::guest_sql {
namespace {

TEST(TokenTest, KnowsItsPlaceAndKind) {
  auto tokens = Tokenize("select \"a\"\"b\", 'it''s',\n 1.5e3 :: x -- end");
  ASSERT_TRUE(tokens);
  ASSERT_EQ(tokens->size(), 9u);
  EXPECT_TRUE((*tokens)[0].IsWord("SELECT"));
  EXPECT_EQ((*tokens)[1].text, "a\"b");
  EXPECT_EQ((*tokens)[3].text, "it's");
  EXPECT_EQ((*tokens)[5].text, "1.5e3");
  EXPECT_EQ((*tokens)[5].line, 2);
  EXPECT_EQ((*tokens)[5].position, 1);
  EXPECT_TRUE((*tokens)[6].IsSymbol("::"));
  EXPECT_EQ(tokens->back().kind, TokenKind::kEnd);
}

TEST(TokenTest, ReservedWordsAreNoNames) {
  for (const char* word :
       {"SELECT", "FROM", "WHERE", "WITH", "UNION", "ALL", "UPDATE", "TABLE", "QUALIFY"}) {
    EXPECT_TRUE(IsReserved(word)) << word;
  }
  for (const char* word : {"ID", "DATE", "COUNT", "VALUE", "KEY", "INDEX", "PATH"})
    EXPECT_FALSE(IsReserved(word)) << word;
}

TEST(NamesTest, PhysicalNamesAreApartWhateverTheCase) {
  EXPECT_EQ(PhysicalName({"DB", "PUBLIC", "T_1"}), "g$DB$PUBLIC$T_1");
  EXPECT_EQ(PhysicalName({"DB", "PUBLIC", "t"}), "g$DB$PUBLIC$~74");
  EXPECT_NE(PhysicalName({"A$B", "C", "D"}), PhysicalName({"A", "B$C", "D"}));
  EXPECT_NE(PhysicalName({"A", "B", "~74"}), PhysicalName({"A", "B", "t"}));
}

TEST(NamesTest, QuotesAreDoubled) {
  EXPECT_EQ(SqlName("a`b"), "`a``b`");
  EXPECT_EQ(SqlText("a'b"), "'a''b'");
  EXPECT_EQ(DisplayName("ABC"), "ABC");
  EXPECT_EQ(DisplayName("Abc"), "\"Abc\"");
  EXPECT_EQ(DisplayName("1A"), "\"1A\"");
}

TEST(LikeTest, MatchesRunsAndSingleCharacters) {
  EXPECT_TRUE(LikeMatches("", ""));
  EXPECT_TRUE(LikeMatches("", "%"));
  EXPECT_TRUE(LikeMatches("hello", "h%l_"));
  EXPECT_TRUE(LikeMatches("é", "_"));
  EXPECT_TRUE(LikeMatches("a%b", "a^%b", "^"));
  EXPECT_TRUE(LikeMatches("aXaXb", "%aXb"));
  EXPECT_FALSE(LikeMatches("axb", "a^%b", "^"));
  EXPECT_FALSE(LikeMatches("hello", "hell"));
  EXPECT_FALSE(LikeMatches("hello", "_"));
  EXPECT_FALSE(LikeMatches("Hello", "hello"));
}

TEST(LikeTest, ManyRunsDoNotMultiply) {
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "%a";
  EXPECT_FALSE(LikeMatches(std::string(2000, 'a'), pattern + "b"));
}

TEST(MomentTest, ReadsWhatItWrites) {
  for (const char* text : {"2024-02-29", "0001-01-01", "9999-12-31", "1969-12-31 23:59:59.999999",
                           "2024-01-01 00:00:00"}) {
    auto moment = ParseMoment(text);
    ASSERT_TRUE(moment) << text;
    EXPECT_EQ(MomentText(*moment), text);
  }
}

TEST(MomentTest, ReadsOtherForms) {
  EXPECT_EQ(MomentText(*ParseMoment("1/2/2024")), "2024-01-02");
  EXPECT_EQ(MomentText(*ParseMoment("02-Jan-2024")), "2024-01-02");
  EXPECT_EQ(MomentText(*ParseMoment("2024-01-02T03:04Z")), "2024-01-02 03:04:00");
  EXPECT_EQ(MomentText(*ParseMoment("2024-01-02 03:04:05 -0800")), "2024-01-02 11:04:05");
}

TEST(MomentTest, RefusesWhatIsNoDate) {
  for (const char* text :
       {"", "x", "2024", "2024-13-01", "2023-02-29", "2024-01-01x", "2024-01-01 24:00:00",
        "0000-01-01", "2024-01-01 10", "2024-01-01 10:60:00", "10000-01-01",
        "2024-01-01 00:00:00+99:00", "13/1/2024", "9999-12-31 23:59:59-10:00"}) {
    EXPECT_FALSE(ParseMoment(text)) << text;
  }
}

TEST(MomentTest, FormatsAndParsesByFormat) {
  auto moment = ParseMomentAs("05.Mar.24 01:02 PM", "DD.MON.YY HH12:MI AM");
  ASSERT_TRUE(moment);
  EXPECT_EQ(MomentText(*moment), "2024-03-05 13:02:00");
  EXPECT_EQ(FormatMoment(*moment, "DY, DD MMMM YYYY HH24:MI:SS.FF3"),
            "Tue, 05 March 2024 13:02:00.000");
  EXPECT_FALSE(ParseMomentAs("2024", "YYYY-MM"));
  EXPECT_FALSE(ParseMomentAs("2024-01x", "YYYY-MM"));
}

TEST(MomentTest, CountsLargeStepsWithoutOverflow) {
  const Moment moment = *ParseMoment("2024-01-01");
  for (const char* part :
       {"year", "month", "week", "day", "hour", "second", "microsecond", "nonsense"}) {
    EXPECT_FALSE(AddParts(moment, part, INT64_MAX)) << part;
    EXPECT_FALSE(AddParts(moment, part, INT64_MIN)) << part;
  }
  EXPECT_FALSE(MakeDate(INT64_MAX, INT64_MAX, INT64_MAX));
  EXPECT_FALSE(MomentOfEpoch(1e300));
}

TEST(TypesTest, KnowsSynonyms) {
  EXPECT_EQ(TypeOfName("decimal(10,2)").scale, 2);
  EXPECT_EQ(TypeOfName("string").kind, Kind::kText);
  EXPECT_EQ(TypeOfName("NUMBER(38,0)").kind, Kind::kNumber);
  EXPECT_EQ(TypeOfName("whatever").kind, Kind::kUnknown);
  EXPECT_EQ(TypeOfName("").kind, Kind::kUnknown);
  EXPECT_EQ(BaseName("VARCHAR(16777216)"), "TEXT");
}

TEST(NumbersTest, RoundsHalfAwayFromZero) {
  EXPECT_EQ(RoundTo(1.005, 2), 1.01);
  EXPECT_EQ(RoundTo(-2.5, 0), -3);
  EXPECT_EQ(RoundTo(1e308, 5), 1e308);
  EXPECT_EQ(FixedText(5, 2), "5.00");
  EXPECT_FALSE(ParseNumber("1x"));
  EXPECT_FALSE(ParseNumber(""));
  EXPECT_FALSE(ParseNumber("0x10"));
  EXPECT_FALSE(ParseNumber("nan"));
  EXPECT_TRUE(ParseNumber(" +1.5 "));
}

}  // namespace
}  // namespace viv::engine::guest_sql
