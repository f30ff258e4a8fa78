#include "base/timestamp.h"

#include <gtest/gtest.h>

namespace viv {
namespace {

TEST(TimestampTest, WritesAsManyDigitsAsNeeded) {
  EXPECT_EQ(FormatTimestamp({0, 0}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(FormatTimestamp({0, 120'000'000}), "1970-01-01T00:00:00.120Z");
  EXPECT_EQ(FormatTimestamp({0, 1'000}), "1970-01-01T00:00:00.000001Z");
  EXPECT_EQ(FormatTimestamp({1'790'987'922, 322'085'214}), "2026-10-03T00:38:42.322085214Z");
}

TEST(TimestampTest, GoesBackBefore1970AndStaysWithinItsYears) {
  EXPECT_EQ(FormatTimestamp({-1, 500'000'000}), "1969-12-31T23:59:59.500Z");
  EXPECT_EQ(FormatTimestamp({INT64_MIN, 0}), "0001-01-01T00:00:00Z");
  EXPECT_EQ(FormatTimestamp({INT64_MAX, 2'000'000'000}), "9999-12-31T23:59:59.999999999Z");
}

TEST(TimestampTest, ReadsWhatItWritesAndOtherOffsets) {
  for (Timestamp time :
       {Timestamp{0, 0}, Timestamp{-1, 500'000'000}, Timestamp{1'790'987'922, 7}}) {
    EXPECT_EQ(ParseTimestamp(FormatTimestamp(time)), time);
  }
  EXPECT_EQ(ParseTimestamp("1970-01-01T02:00:00+02:00"), (Timestamp{0, 0}));
  EXPECT_EQ(ParseTimestamp("1969-12-31t23:30:00.25-00:30"), (Timestamp{0, 250'000'000}));
}

TEST(TimestampTest, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "now", "1970-01-01", "1970-01-01T00:00:00", "1970-13-01T00:00:00Z",
        "2023-02-29T00:00:00Z", "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z",
        "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.1234567890123456789Z",
        "1970-01-01T00:00:00Zx", "0000-01-01T00:00:00Z", "1970-01-01T00:00:00+25:00",
        "0001-01-01T00:00:00+01:00", "19700101T000000Z"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(TimeTextTest, ReadsOffsetsAndFractions) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(ParseTime("1970-01-01T01:00:00+01:00"), 0);
  EXPECT_EQ(ParseTime("1969-12-31T23:59:59.5Z"), -500'000);
  EXPECT_EQ(ParseTime("2026-02-28T12:00:00.123Z"), ParseTime("2026-02-28T12:00:00.123000999Z"));
  EXPECT_EQ(TimeText(*ParseTime("2026-02-28T12:00:00.123456Z")), "2026-02-28T12:00:00.123456Z");
  for (const char* edge : {"0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"})
    EXPECT_EQ(TimeText(*ParseTime(edge)), edge);
  EXPECT_EQ(TimeText(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(TimeTextTest, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "2026", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+99:00",
        "1790000000", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:60Z"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

}  // namespace
}  // namespace viv
