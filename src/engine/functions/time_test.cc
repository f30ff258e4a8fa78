#include <string>

#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

std::string ParseTime(const std::string& text, const std::string& zone = "UTC") {
  return Sql()("select time_parse(?1, ?2)", {text, zone});
}

std::string Format(const std::string& text,
                   const std::string& format,
                   const std::string& zone = "UTC") {
  return Sql()("select time_format(time_parse(?1), ?2, ?3)", {text, format, zone});
}

TEST(TimeParseTest, ReadsRfc3339) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:01Z"), "1000");
  EXPECT_EQ(ParseTime("2025-01-31T10:20:30+01:00"), ParseTime("2025-01-31T09:20:30Z"));
  EXPECT_EQ(ParseTime("2025-01-31T10:20:30-0530"), ParseTime("2025-01-31T15:50:30Z"));
  EXPECT_EQ(ParseTime("1970-01-01t00:00:00.25z"), "250");
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00.123456789Z"), "123");
  EXPECT_EQ(ParseTime("1969-12-31T23:59:59Z"), "-1000");
}

TEST(TimeParseTest, ReadsTimesWithoutOffsetInTheZone) {
  EXPECT_EQ(ParseTime("1970-01-02"), "86400000");
  EXPECT_EQ(ParseTime("2025-07-01", "Europe/Berlin"), ParseTime("2025-06-30T22:00:00Z"));
  EXPECT_EQ(ParseTime("2025-07-01 09:30", "America/New_York"), ParseTime("2025-07-01T13:30:00Z"));
  EXPECT_EQ(ParseTime("2025-07-01T09:30:15", "+05:30"), ParseTime("2025-07-01T04:00:15Z"));
  EXPECT_EQ(ParseTime("2025-07-01T09:30Z", "Europe/Berlin"), ParseTime("2025-07-01T09:30:00Z"));
}

TEST(TimeParseTest, TakesTheFirstOfTwoEqualClockTimesAndMovesSkippedOnesOn) {
  EXPECT_EQ(ParseTime("2025-10-26T02:30", "Europe/Berlin"), ParseTime("2025-10-26T00:30:00Z"));
  EXPECT_EQ(ParseTime("2025-03-30T02:30", "Europe/Berlin"), ParseTime("2025-03-30T01:30:00Z"));
}

TEST(TimeParseTest, GivesNullForWhatIsNoTime) {
  for (const char* text :
       {"", "tomorrow", "2025", "2025-13-01", "2025-02-29", "2025-01-00", "2025-1-1", "0000-01-01",
        "2025-01-01T", "2025-01-01T24:00", "2025-01-01T10:60", "2025-01-01T10:00:61",
        "2025-01-01T10:00:00.", "2025-01-01T10:00+25:00", "2025-01-01T10:00+1",
        "2025-01-01T10:00Zx", "2025-01-01x10:00", "99999-01-01", "9999-12-31T23:59:59-01:00"}) {
    EXPECT_EQ(ParseTime(text), "NULL") << text;
  }
}

TEST(TimeParseTest, RefusesUnknownZones) {
  EXPECT_EQ(ParseTime("2025-01-01", "Mars/Phobos"),
            "error: time_parse: unknown time zone 'Mars/Phobos'");
}

TEST(TimeFormatTest, KnowsNamedFormats) {
  std::string time = "2025-01-31T10:20:30.5Z";
  EXPECT_EQ(Format(time, "rfc3339"), "2025-01-31T10:20:30Z");
  EXPECT_EQ(Format(time, "rfc3339", "Europe/Berlin"), "2025-01-31T11:20:30+01:00");
  EXPECT_EQ(Format(time, "rfc3339ms"), "2025-01-31T10:20:30.500Z");
  EXPECT_EQ(Format(time, "jira"), "2025-01-31T10:20:30.500+0000");
  EXPECT_EQ(Format(time, "rfc2822"), "Fri, 31 Jan 2025 10:20:30 +0000");
  EXPECT_EQ(Format(time, "date", "Pacific/Auckland"), "2025-01-31");
  EXPECT_EQ(Format("0001-01-01", "date"), "0001-01-01");
}

TEST(TimeFormatTest, TakesStrftimePatterns) {
  EXPECT_EQ(Format("2025-01-31T10:20:30Z", "%d.%m.%Y %H:%M %A"), "31.01.2025 10:20 Friday");
  EXPECT_EQ(Format("2025-01-31", ""), "");
  EXPECT_EQ(Format("2025-01-31", "100%"), "100%");
}

TEST(TimeFormatTest, RefusesWhatItCannotFormat) {
  Sql sql;
  EXPECT_EQ(sql("select time_format('soon', 'date')"),
            "error: time_format: argument 1 must be an integer");
  EXPECT_EQ(sql("select time_format(1.5, 'date')"),
            "error: time_format: argument 1 must be an integer");
  EXPECT_EQ(sql("select time_format(9223372036854775807, 'date')"),
            "error: time_format: the time is outside the years 1 to 9999");
  EXPECT_EQ(sql("select time_format(0, hex(zeroblob(500)))"),
            "error: time_format: the format is too long");
}

TEST(TimeZoneTest, ExistsOnlyWhenInstalled) {
  Sql sql;
  for (const char* zone :
       {"UTC", "Z", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "-03:00"}) {
    EXPECT_EQ(sql("select time_zone_exists(?1)", {zone}), "1") << zone;
  }
  for (const char* zone : {"", "Europe", "Europe/Nowhere", "/etc/passwd", "../../../etc/passwd",
                           "localtime2", "+25:00", "file:x", "Europe/../Europe/Berlin"}) {
    EXPECT_EQ(sql("select time_zone_exists(?1)", {zone}), "0") << zone;
  }
}

std::string Add(const std::string& time,
                int n,
                const std::string& unit,
                const std::string& zone = "UTC") {
  return Sql()("select time_format(time_add(time_parse(?1), ?2, ?3, ?4), 'rfc3339')",
               {time, std::to_string(n), unit, zone});
}

TEST(TimeAddTest, AddsByTheCalendar) {
  EXPECT_EQ(Add("2025-01-31T10:00Z", 1, "month"), "2025-02-28T10:00:00Z");
  EXPECT_EQ(Add("2024-02-29T10:00Z", 1, "years"), "2025-02-28T10:00:00Z");
  EXPECT_EQ(Add("2025-03-31T10:00Z", -1, "months"), "2025-02-28T10:00:00Z");
  EXPECT_EQ(Add("2025-01-31T10:00Z", 2, "weeks"), "2025-02-14T10:00:00Z");
  EXPECT_EQ(Add("2025-01-31T10:00Z", 1, "quarter"), "2025-04-30T10:00:00Z");
  EXPECT_EQ(Add("2025-01-31T10:00Z", -90, "minutes"), "2025-01-31T08:30:00Z");
}

TEST(TimeAddTest, KeepsTheWallClockForDaysAndTheLengthForHours) {
  EXPECT_EQ(Add("2025-03-29T11:00Z", 1, "day", "Europe/Berlin"), "2025-03-30T10:00:00Z");
  EXPECT_EQ(Add("2025-03-29T11:00Z", 24, "hours", "Europe/Berlin"), "2025-03-30T11:00:00Z");
}

TEST(TimeAddTest, RefusesUnknownUnitsAndTimesOutOfRange) {
  EXPECT_EQ(
      Add("2025-01-01", 1, "fortnight"),
      "error: time_add: the unit must be second, minute, hour, day, week, month, quarter or year");
  EXPECT_EQ(Add("2025-01-01", 9000, "years"),
            "error: time_add: the time is outside the years 1 to 9999");
  Sql sql;
  for (const char* unit : {"second", "minute", "hour", "day", "week", "month", "year"}) {
    for (const char* n : {"9223372036854775807", "-9223372036854775808", "-100000000000"}) {
      EXPECT_EQ(sql(std::string("select time_add(0, ") + n + ", ?1, 'Europe/Berlin')", {unit}),
                "error: time_add: the time is outside the years 1 to 9999")
          << unit << n;
    }
  }
}

std::string Start(const std::string& time,
                  const std::string& unit,
                  const std::string& zone = "UTC") {
  return Sql()("select time_format(time_start(time_parse(?1), ?2, ?3), 'rfc3339', ?3)",
               {time, unit, zone});
}

TEST(TimeStartTest, FindsTheStartInTheZone) {
  EXPECT_EQ(Start("2025-07-02T23:30:15.5Z", "day"), "2025-07-02T00:00:00Z");
  EXPECT_EQ(Start("2025-07-02T23:30Z", "day", "Europe/Berlin"), "2025-07-03T00:00:00+02:00");
  EXPECT_EQ(Start("2025-07-06T12:00Z", "week"), "2025-06-30T00:00:00Z");
  EXPECT_EQ(Start("2025-06-30T00:00Z", "week"), "2025-06-30T00:00:00Z");
  EXPECT_EQ(Start("2025-07-06T12:00Z", "month"), "2025-07-01T00:00:00Z");
  EXPECT_EQ(Start("2025-08-06T12:00Z", "quarter"), "2025-07-01T00:00:00Z");
  EXPECT_EQ(Start("2025-07-06T12:00Z", "year", "Asia/Tokyo"), "2025-01-01T00:00:00+09:00");
  EXPECT_EQ(Start("2025-07-06T12:34:56Z", "hour"), "2025-07-06T12:00:00Z");
}

TEST(TimeStartTest, StartsADayWithoutMidnightWhereTheClocksSkipIt) {
  EXPECT_EQ(Start("2018-11-04T12:00Z", "day", "America/Sao_Paulo"), "2018-11-04T01:00:00-02:00");
}

TEST(TimeStartTest, KeepsTheSecondOfTwoEqualHours) {
  EXPECT_EQ(Start("2025-10-26T01:30Z", "hour", "Europe/Berlin"), "2025-10-26T02:00:00+01:00");
}

// The named formats have a quick way of their own; it must write what the long way does.
TEST(TimeFormatTest, NamedFormatsAreTheirLongForms) {
  Sql sql;
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"rfc3339", "%E4Y-%m-%dT%H:%M:%S%Ez"},
      {"rfc3339ms", "%E4Y-%m-%dT%H:%M:%E3S%Ez"},
      {"jira", "%E4Y-%m-%dT%H:%M:%E3S%z"},
      {"date", "%E4Y-%m-%d"}};
  for (const char* zone : {"America/St_Johns", "Europe/Berlin", "Asia/Kathmandu", "+05:45",
                           "-00:30", "America/Los_Angeles", "Africa/Monrovia"}) {
    for (const char* ms : {"0", "-1", "-62135500000001", "253402200000000", "1748856600123",
                           "1729994400000", "-2713910400000"}) {
      for (const auto& [name, format] : formats) {
        std::string rest = std::string("', '") + zone + "')";
        EXPECT_EQ(sql("select time_format(" + std::string(ms) + ", '" + name + rest),
                  sql("select time_format(" + std::string(ms) + ", '" + format + rest))
            << name << " " << ms << " " << zone;
      }
    }
  }
}

}  // namespace
}  // namespace viv::engine::functions
