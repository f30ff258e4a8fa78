#include "engine/query/dates.h"

#include "engine/query/query_test_support.h"

namespace viv::engine::query {
namespace {

Calendar At(const std::string& zone, WeekStart week_start = WeekStart::kSunday) {
  Context context;
  context.now_ms = kTestNowMs;
  context.time_zone = zone;
  auto calendar = Calendar::Create(context, week_start);
  EXPECT_TRUE(calendar);
  return *calendar;
}

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kTodayMs = kTestNowMs - 12 * kHourMs;

TEST(DatesTest, TakesADateAsItsWholeDay) {
  auto day = At("UTC").ReadDate("2025-03-13");
  ASSERT_TRUE(day);
  EXPECT_EQ(day->start_ms, kTodayMs);
  EXPECT_EQ(day->end_ms, kTodayMs + kDayMs);
}

TEST(DatesTest, GivesADayTheLengthItHasInItsZone) {
  auto spring = At("America/New_York").ReadDate("2025-03-09");
  ASSERT_TRUE(spring);
  EXPECT_EQ(spring->end_ms - spring->start_ms, 23 * kHourMs);
}

TEST(DatesTest, ReadsTimesToTheirPrecision) {
  Calendar calendar = At("UTC");
  auto minute = calendar.ReadDate("2025/03/13 12:00");
  ASSERT_TRUE(minute);
  EXPECT_EQ(minute->start_ms, kTestNowMs);
  EXPECT_EQ(minute->end_ms, kTestNowMs + 60'000);
  auto fraction = calendar.ReadDate("2025-03-13T12:00:00.25Z");
  ASSERT_TRUE(fraction);
  EXPECT_EQ(fraction->start_ms, kTestNowMs + 250);
  EXPECT_EQ(fraction->end_ms, kTestNowMs + 251);
}

TEST(DatesTest, PrefersAnExplicitOffsetToTheZone) {
  Calendar calendar = At("Europe/Berlin");
  EXPECT_EQ(calendar.ReadDate("2025-03-13T12:00")->start_ms, kTestNowMs - kHourMs);
  EXPECT_EQ(calendar.ReadDate("2025-03-13T12:00Z")->start_ms, kTestNowMs);
  EXPECT_EQ(calendar.ReadDate("2025-03-13T07:30:00-04:30")->start_ms, kTestNowMs);
  EXPECT_EQ(calendar.ReadDate("2025-03-13T17:30+0530")->start_ms, kTestNowMs);
}

TEST(DatesTest, RefusesWhatIsNoDate) {
  Calendar calendar = At("UTC");
  for (const char* text :
       {"", "2025", "2025-02-29", "2025-00-10", "2025-10-00", "0000-01-01", "2025-03/13",
        "2025-03-13T", "2025-03-13 24:00", "2025-03-13 10:60", "2025-03-13 10:20:60",
        "2025-03-13 10:20:30.", "2025-03-13T10:20X", "2025-03-13T10:20+1", "2025-03-13T10:20+25:00",
        "2025-03-13T10:20Zx", "x2025-03-13", "-025-03-13"}) {
    EXPECT_FALSE(calendar.ReadDate(text)) << text;
  }
}

TEST(DatesTest, ReadsLooseDates) {
  Calendar calendar = At("UTC");
  EXPECT_EQ(calendar.ReadLooseDate("Today")->start_ms, kTodayMs);
  EXPECT_EQ(calendar.ReadLooseDate("yesterday")->end_ms, kTodayMs);
  EXPECT_EQ(calendar.ReadLooseDate("03/13/2025")->start_ms, kTodayMs);
  EXPECT_EQ(calendar.ReadLooseDate("2025-03")->start_ms, kTodayMs - 12 * kDayMs);
  EXPECT_EQ(calendar.ReadLooseDate("March")->start_ms, kTodayMs - 12 * kDayMs);
  EXPECT_EQ(calendar.DayOf(calendar.ReadLooseDate("april")->start_ms), "2024-04-01");
  EXPECT_EQ(calendar.DayOf(calendar.ReadLooseDate("2024")->end_ms), "2025-01-01");
  EXPECT_EQ(calendar.ReadLooseDate("1741867200")->start_ms, kTestNowMs);
}

TEST(DatesTest, RefusesWhatIsNoLooseDateEither) {
  Calendar calendar = At("UTC");
  for (const char* text : {"", "soon", "2025-13", "0000", "13/13/2025", "99/99/9999", "12345",
                           "-174186720", "174186720000", "12345678x", "mar"}) {
    EXPECT_FALSE(calendar.ReadLooseDate(text)) << text;
  }
}

TEST(DatesTest, KeepsTheTimeOfDayWhenShiftingDays) {
  Calendar calendar = At("America/New_York");
  // The clocks went forward on the 9th, so five days are an hour short.
  EXPECT_EQ(calendar.Shift(kTestNowMs, {-5, Unit::kDay}), kTestNowMs - 5 * kDayMs + kHourMs);
  EXPECT_EQ(calendar.Shift(kTestNowMs, {-120, Unit::kHour}), kTestNowMs - 5 * kDayMs);
}

TEST(DatesTest, EndsAMonthLaterInAShorterMonthOnItsLastDay) {
  Calendar calendar = At("UTC");
  std::int64_t january = calendar.ReadDate("2025-01-31")->start_ms;
  EXPECT_EQ(calendar.DayOf(calendar.Shift(january, {1, Unit::kMonth})), "2025-02-28");
  EXPECT_EQ(calendar.DayOf(calendar.Shift(january, {-11, Unit::kMonth})), "2024-02-29");
}

TEST(DatesTest, StartsTheWeekWhereTheAppSays) {
  EXPECT_EQ(At("UTC").DayOf(At("UTC").Around(Unit::kWeek, {}).start_ms), "2025-03-09");
  Calendar monday = At("UTC", WeekStart::kMonday);
  EXPECT_EQ(monday.DayOf(monday.Around(Unit::kWeek, {}).start_ms), "2025-03-10");
  EXPECT_EQ(monday.DayOf(monday.Around(Unit::kWeek, {-1, Unit::kWeek}).start_ms), "2025-03-03");
}

TEST(DatesTest, StaysWithinTheYearsThatTextCanOrder) {
  Calendar calendar = At("UTC");
  EXPECT_EQ(calendar.DayOf(calendar.Shift(kTestNowMs, {999'999, Unit::kYear})), "9999-12-31");
  EXPECT_EQ(calendar.DayOf(calendar.Shift(kTestNowMs, {-999'999, Unit::kYear})), "0001-01-01");
}

TEST(DatesTest, RefusesZonesThatAreNoNames) {
  for (const char* zone :
       {"", "Nowhere/Else", "/etc/passwd", "file:/etc/passwd", "../../etc/passwd"}) {
    Context context;
    context.time_zone = zone;
    EXPECT_FALSE(Calendar::Create(context, WeekStart::kSunday)) << zone;
  }
}

}  // namespace
}  // namespace viv::engine::query
