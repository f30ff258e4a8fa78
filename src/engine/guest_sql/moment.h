#pragma once
// Dates and timestamps of guest values: ISO text in the tables, microseconds since 1970 here. All
// are in UTC; a zone in the text is applied and forgotten. Years 1 to 9999; what leaves them is
// nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace viv::engine::guest_sql {

constexpr std::int64_t kSecond = 1'000'000;  // in microseconds
constexpr std::int64_t kDay = 86'400 * kSecond;

struct Civil {
  int year = 1970;
  int month = 1;
  int day = 1;
};

struct Moment {
  std::int64_t micros = 0;
  bool is_date = false;  // without a time of day

  std::int64_t days() const;           // since 1970, rounded down
  std::int64_t micros_of_day() const;  // 0 to 86399999999
};

Civil CivilOf(std::int64_t days);
std::int64_t DaysOf(const Civil& civil);
std::optional<Moment> MakeDate(std::int64_t year,
                               std::int64_t month,
                               std::int64_t day);  // month 13 is next January

// "2024-01-31", "2024-01-31 10:00:00.5", "2024-01-31T10:00Z", "1/31/2024", "31-JAN-2024".
std::optional<Moment> ParseMoment(std::string_view text);
// By a format such as 'YYYY-MM-DD HH24:MI:SS' or 'DD/MON/YY'.
std::optional<Moment> ParseMomentAs(std::string_view text, std::string_view format);
// Of a number since 1970; its size tells seconds, milliseconds, microseconds and nanoseconds apart.
std::optional<Moment> MomentOfEpoch(double number);
std::optional<std::int64_t> ParseTimeOfDay(std::string_view text);  // microseconds

std::string MomentText(const Moment& moment);  // "2024-01-31" or "2024-01-31 10:00:00[.5]"
std::string TimeText(std::int64_t micros_of_day);
std::string TimestampText(std::int64_t ms);
std::string FormatMoment(const Moment& moment, std::string_view format);

// `part` is year, quarter, month, week, day, hour, minute, second, millisecond, microsecond.
std::optional<Moment> AddParts(const Moment& moment, std::string_view part, std::int64_t count);
std::optional<std::int64_t> PartsBetween(std::string_view part,
                                         const Moment& from,
                                         const Moment& to);
std::optional<Moment> Truncate(const Moment& moment, std::string_view part);
// Also dayofweek, dayofweekiso, dayofyear, yearofweek, epoch_second, epoch_millisecond.
std::optional<std::int64_t> PartOf(const Moment& moment, std::string_view part);

}  // namespace viv::engine::guest_sql
