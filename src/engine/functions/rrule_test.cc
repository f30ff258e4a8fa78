#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

struct Event {
  std::string lines;  // a JSON array
  std::string start;
  std::string zone = "UTC";
  std::string from = "2000-01-01";
  std::string to = "2100-01-01";
  int limit = 100;
};

// The occurrences, each as "01-31 10:00" on the wall clock of the zone, separated by commas.
std::string Expand(const Event& event) {
  return Sql()(
      "select coalesce(group_concat(time_format(value, '%m-%d %H:%M', ?3), ','), '') from "
      "json_each("
      "rrule_expand(?1, time_parse(?2, ?3), ?3, time_parse(?4), time_parse(?5), ?6))",
      {event.lines, event.start, event.zone, event.from, event.to, std::to_string(event.limit)});
}

TEST(RruleExpandTest, RepeatsDaysWeeksMonthsAndYears) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;COUNT=3"])", "2025-01-30 09:00"}),
            "01-30 09:00,01-31 09:00,02-01 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;INTERVAL=10;COUNT=3"])", "2025-01-30 09:00"}),
            "01-30 09:00,02-09 09:00,02-19 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4"])", "2025-01-06 09:00"}),
            "01-06 09:00,01-08 09:00,01-13 09:00,01-15 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=YEARLY;COUNT=2"])", "2025-05-01 09:00"}),
            "05-01 09:00,05-01 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=HOURLY;INTERVAL=6;COUNT=3"])", "2025-05-01 09:00"}),
            "05-01 09:00,05-01 15:00,05-01 21:00");
}

TEST(RruleExpandTest, SkipsMonthsWithoutTheDay) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=MONTHLY;COUNT=3"])", "2025-01-31 09:00"}),
            "01-31 09:00,03-31 09:00,05-31 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3"])", "2025-01-31 09:00"}),
            "01-31 09:00,02-28 09:00,03-31 09:00");
}

TEST(RruleExpandTest, CountsWeekdaysInMonthsAndYears) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=MONTHLY;BYDAY=2TU;COUNT=2"])", "2025-01-14 09:00"}),
            "01-14 09:00,02-11 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=2"])", "2025-01-31 09:00"}),
            "01-31 09:00,02-28 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=2"])", "2025-11-27 09:00"}),
            "11-27 09:00,11-26 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=YEARLY;BYDAY=20MO;COUNT=2"])", "2025-01-01 09:00"}),
            "05-19 09:00,05-18 09:00");
}

TEST(RruleExpandTest, PicksPositionsOfASet) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2"])",
                    "2025-01-31 09:00"}),
            "01-31 09:00,02-28 09:00");
}

TEST(RruleExpandTest, StartsWeeksWhereTheRuleSays) {
  // The example of RFC 5545 that shows what WKST changes.
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO"])",
                    "1997-08-05 09:00", "UTC", "1990-01-01"}),
            "08-05 09:00,08-10 09:00,08-19 09:00,08-24 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU"])",
                    "1997-08-05 09:00", "UTC", "1990-01-01"}),
            "08-05 09:00,08-17 09:00,08-19 09:00,08-31 09:00");
}

TEST(RruleExpandTest, KeepsTheWallClockWhenTheClocksChange) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=WEEKLY;COUNT=2"])", "2025-03-28 09:00", "Europe/Berlin"}),
            "03-28 09:00,04-04 09:00");
  // Skipped at 02:30, an occurrence moves on by the hour that is missing.
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;COUNT=3"])", "2025-03-29 02:30", "Europe/Berlin"}),
            "03-29 02:30,03-30 03:30,03-31 02:30");
}

TEST(RruleExpandTest, EndsAtUntilInclusive) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;UNTIL=20250102T090000Z"])", "2025-01-01 09:00"}),
            "01-01 09:00,01-02 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;UNTIL=20250102T085959Z"])", "2025-01-01 09:00"}),
            "01-01 09:00");
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=DAILY;UNTIL=20250102"])", "2025-01-01 23:00", "America/New_York"}),
      "01-01 23:00,01-02 23:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;UNTIL=20250102T230000"])", "2025-01-01 23:00",
                    "America/New_York"}),
            "01-01 23:00,01-02 23:00");
}

TEST(RruleExpandTest, GivesOnlyTheWindowAndCountsFromTheStart) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY"])", "1950-01-01 09:00", "UTC", "2025-01-01T09:00Z",
                    "2025-01-03T09:00Z"}),
            "01-01 09:00,01-02 09:00");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=DAILY;COUNT=3"])", "2025-01-01 09:00", "UTC", "2025-01-03"}),
            "01-03 09:00");
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=DAILY"])", "2025-01-01 09:00", "UTC", "2025-01-01", "2026-01-01", 2}),
      "01-01 09:00,01-02 09:00");
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=DAILY"])", "2025-01-01 09:00", "UTC", "2026-01-01", "2025-01-01"}),
      "");
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=DAILY"])", "2025-01-01 09:00", "UTC", "2025-01-01", "2026-01-01", 0}),
      "");
}

TEST(RruleExpandTest, ExcludesAndAddsDates) {
  EXPECT_EQ(
      Expand(
          {R"(["RRULE:FREQ=DAILY;COUNT=4","EXDATE;TZID=Europe/Berlin:20250102T090000,20250103T090000"])",
           "2025-01-01 09:00", "Europe/Berlin"}),
      "01-01 09:00,01-04 09:00");
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=DAILY;COUNT=3","EXDATE:20250102T090000Z","RDATE:20250110T120000Z"])",
              "2025-01-01 09:00"}),
      "01-01 09:00,01-03 09:00,01-10 12:00");
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=HOURLY;COUNT=30","EXDATE;VALUE=DATE:20250101"])", "2025-01-01 20:00"})
          .substr(0, 11),
      "01-02 00:00");
}

TEST(RruleExpandTest, TakesTheStartWhenThereIsNoRule) {
  EXPECT_EQ(Expand({R"(["RDATE;VALUE=DATE:20250103"])", "2025-01-01 00:00"}),
            "01-01 00:00,01-03 00:00");
  EXPECT_EQ(Expand({"[]", "2025-01-01 00:00"}), "01-01 00:00");
}

TEST(RruleExpandTest, JoinsRulesWithoutRepeating) {
  EXPECT_EQ(
      Expand({R"(["RRULE:FREQ=DAILY;COUNT=2","RRULE:FREQ=WEEKLY;COUNT=2"])", "2025-01-01 09:00"}),
      "01-01 09:00,01-02 09:00,01-08 09:00");
}

TEST(RruleExpandTest, KeepsAStartInTheSecondOfTwoEqualHours) {
  Sql sql;
  EXPECT_EQ(
      sql("select rrule_expand('[\"RRULE:FREQ=DAILY;COUNT=1\"]', ?1, 'Europe/Berlin', 0, ?2, 5)",
          {"1761442200000", "4102444800000"}),
      "[1761442200000]");
}

TEST(RruleExpandTest, EndsForRulesThatNeverMatch) {
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31"])", "2025-01-01 09:00", "UTC",
                    "2000-01-01", "9999-01-01"}),
            "");
  EXPECT_EQ(Expand({R"(["RRULE:FREQ=MONTHLY;BYMONTHDAY=1;BYMONTH=2;BYDAY=5MO;INTERVAL=10000"])",
                    "2025-01-01 09:00", "UTC", "2000-01-01", "9999-01-01"}),
            "");
}

TEST(RruleExpandTest, SaysWhatIsWrong) {
  Sql sql;
  auto expand = [&](const std::string& lines, const std::string& zone) {
    return sql("select rrule_expand(?1, 0, ?2, 0, 1, 10)", {lines, zone});
  };
  EXPECT_EQ(expand("{}", "UTC"), "error: rrule_expand: argument 1 must be a JSON array of lines");
  EXPECT_EQ(expand("[1]", "UTC"), "error: rrule_expand: argument 1 must be a JSON array of lines");
  EXPECT_TRUE(expand("[", "UTC").starts_with("error: rrule_expand: invalid JSON"));
  EXPECT_EQ(expand("[]", "Nowhere"), "error: rrule_expand: unknown time zone 'Nowhere'");
  EXPECT_EQ(expand(R"(["RRULE:FREQ=DAILY;BYHOUR=9"])", "UTC"),
            "error: rrule_expand: 'BYHOUR' is not supported");
  std::string rules = "[\"RRULE:FREQ=DAILY\"";
  for (int i = 0; i < 8; ++i) rules += ",\"RRULE:FREQ=DAILY\"";
  EXPECT_EQ(expand(rules + "]", "UTC"), "error: rrule_expand: too many rules");
}

std::string CheckLine(const std::string& line) {
  return Sql()("select rrule_check(?1)", {line});
}

TEST(RruleCheckTest, AcceptsWhatCanBeExpanded) {
  for (const char* line :
       {"RRULE:FREQ=DAILY", "rrule:freq=weekly;byday=mo", "RRULE:FREQ=MONTHLY;BYDAY=+1MO,-1FR;",
        "EXDATE:20250101",
        "RRULE:FREQ=YEARLY;BYMONTH=1,12;BYMONTHDAY=-31;BYSETPOS=-1;WKST=SU;INTERVAL=2;UNTIL="
        "20300101T000000Z",
        "EXDATE;TZID=Europe/Berlin:20250101T090000", "RDATE;VALUE=DATE:20250101,20250102"}) {
    EXPECT_EQ(CheckLine(line), "NULL") << line;
  }
}

TEST(RruleCheckTest, SaysWhatIsWrong) {
  EXPECT_EQ(CheckLine(""), "'' does not start with RRULE:, EXDATE: or RDATE:");
  EXPECT_EQ(CheckLine("FREQ=DAILY"), "'FREQ=DAILY' does not start with RRULE:, EXDATE: or RDATE:");
  EXPECT_EQ(CheckLine("RRULE:"), "'' is not NAME=value");
  EXPECT_EQ(CheckLine("RRULE:COUNT=3"), "FREQ is missing");
  EXPECT_EQ(CheckLine("RRULE:FREQ=SECONDLY"),
            "FREQ: 'SECONDLY' is not one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY");
  EXPECT_EQ(CheckLine("RRULE:FREQ=DAILY;FREQ=DAILY"), "'FREQ' occurs twice");
  EXPECT_EQ(CheckLine("RRULE:FREQ=DAILY;COUNT=0"), "COUNT: '0' is not between 1 and 1000000000");
  EXPECT_EQ(CheckLine("RRULE:FREQ=DAILY;COUNT=1;UNTIL=20250101"),
            "COUNT and UNTIL exclude each other");
  EXPECT_EQ(CheckLine("RRULE:FREQ=DAILY;INTERVAL=x"), "INTERVAL: 'x' is not a number");
  EXPECT_EQ(CheckLine("RRULE:FREQ=DAILY;UNTIL=2025-01-01"),
            "UNTIL: '2025-01-01' is not a date (20250131) or date-time (20250131T090000Z)");
  EXPECT_EQ(CheckLine("RRULE:FREQ=DAILY;UNTIL=20250101T250000Z"),
            "UNTIL: '20250101T250000Z' is not a time of day");
  EXPECT_EQ(CheckLine("RRULE:FREQ=YEARLY;BYMONTH=13"), "BYMONTH: '13' is not between 1 and 12");
  EXPECT_EQ(CheckLine("RRULE:FREQ=MONTHLY;BYMONTHDAY=0"),
            "BYMONTHDAY: '0' is not between 1 and 31 or -31 and -1");
  EXPECT_EQ(CheckLine("RRULE:FREQ=MONTHLY;BYDAY=XX"),
            "BYDAY: 'XX' is not a weekday (MO, TU, WE, TH, FR, SA, SU)");
  EXPECT_EQ(CheckLine("RRULE:FREQ=MONTHLY;BYDAY=54MO"),
            "BYDAY: '54MO' does not count weekdays from 1 to 53 or -53 to -1");
  EXPECT_EQ(CheckLine("RRULE:FREQ=WEEKLY;BYDAY=1MO"),
            "BYDAY: a number before a weekday needs FREQ=MONTHLY or YEARLY");
  EXPECT_EQ(CheckLine("RRULE:FREQ=WEEKLY;BYMONTHDAY=1"),
            "BYMONTHDAY cannot be used with FREQ=WEEKLY");
  EXPECT_EQ(CheckLine("RRULE:FREQ=MONTHLY;BYSETPOS=1"), "BYSETPOS needs another BY part");
  EXPECT_EQ(CheckLine("EXDATE;TZID=Nowhere:20250101T090000"), "TZID: unknown time zone 'Nowhere'");
  EXPECT_EQ(CheckLine("EXDATE;X=1:20250101"), "parameter 'X' is not supported");
  EXPECT_EQ(CheckLine("RDATE;VALUE=PERIOD:20250101T090000Z/PT1H"),
            "VALUE: 'PERIOD' is not DATE or DATE-TIME");
  EXPECT_EQ(CheckLine("EXDATE:20250230"),
            "'20250230' is not a date (20250131) or date-time (20250131T090000Z)");
}

}  // namespace
}  // namespace viv::engine::functions
