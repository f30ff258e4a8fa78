// Time as SQL functions: milliseconds since 1970 UTC to text and back, and arithmetic by calendar.

#include <algorithm>
#include <utility>

#include "engine/functions/families.h"
#include "engine/functions/time_text.h"
#include "engine/functions/zone.h"

namespace viv::engine::functions {
namespace {

constexpr std::int64_t kStepsMax =
    100'000'000'000;  // no addition within the years 1 to 9999 needs more

enum class Unit { kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear };

Result<Unit> ParseUnit(std::string_view text) {
  constexpr std::pair<std::string_view, Unit> kUnits[] = {
      {"second", Unit::kSecond},   {"minute", Unit::kMinute}, {"hour", Unit::kHour},
      {"day", Unit::kDay},         {"week", Unit::kWeek},     {"month", Unit::kMonth},
      {"quarter", Unit::kQuarter}, {"year", Unit::kYear}};
  for (const auto& [name, unit] : kUnits) {
    if (text == name ||
        (text.size() == name.size() + 1 && text.back() == 's' && text.starts_with(name))) {
      return unit;
    }
  }
  return Invalid("the unit must be second, minute, hour, day, week, month, quarter or year");
}

// The same day so many months on, or the last day of a month that is too short for it.
absl::CivilDay AddMonths(absl::CivilDay day, std::int64_t months) {
  absl::CivilMonth month = absl::CivilMonth(day) + months;
  absl::CivilDay last = absl::CivilDay(month + 1) - 1;
  return absl::CivilDay(month.year(), month.month(), std::min(day.day(), last.day()));
}

absl::CivilDay AddDays(absl::CivilDay day, std::int64_t n, Unit unit) {
  switch (unit) {
    case Unit::kWeek:
      return day + 7 * n;
    case Unit::kMonth:
      return AddMonths(day, n);
    case Unit::kQuarter:
      return AddMonths(day, 3 * n);
    case Unit::kYear:
      return AddMonths(day, 12 * n);
    default:
      return day + n;
  }
}

// Hours and less are lengths of time; days and more keep the wall clock.
absl::Time Add(absl::Time time, std::int64_t n, Unit unit, absl::TimeZone zone) {
  if (unit == Unit::kSecond) return time + absl::Seconds(n);
  if (unit == Unit::kMinute) return time + absl::Minutes(n);
  if (unit == Unit::kHour) return time + absl::Hours(n);
  absl::TimeZone::CivilInfo wall = zone.At(time);
  absl::CivilDay from(wall.cs);
  absl::CivilSecond to =
      absl::CivilSecond(AddDays(from, n, unit)) + (wall.cs - absl::CivilSecond(from));
  return Moment(to, zone) + wall.subsecond;
}

absl::CivilSecond StartOf(absl::CivilSecond wall, Unit unit) {
  absl::CivilDay day(wall);
  switch (unit) {
    case Unit::kSecond:
      return wall;
    case Unit::kMinute:
      return absl::CivilSecond(absl::CivilMinute(wall));
    case Unit::kHour:
      return absl::CivilSecond(absl::CivilHour(wall));
    case Unit::kDay:
      return absl::CivilSecond(day);
    case Unit::kWeek:
      return absl::CivilSecond(absl::PrevWeekday(day + 1, absl::Weekday::monday));
    case Unit::kMonth:
      return absl::CivilSecond(absl::CivilMonth(wall));
    case Unit::kQuarter:
      return absl::CivilSecond(wall.year(), (wall.month() - 1) / 3 * 3 + 1);
    case Unit::kYear:
      return absl::CivilSecond(absl::CivilYear(wall));
  }
  return wall;
}

Result<absl::TimeZone> ZoneArgument(const Arguments& arguments, int index) {
  return FindZone(arguments.TextOr(index, "UTC"));
}

Result<std::int64_t> TimeArgument(const Arguments& arguments, int index) {
  ASSIGN_OR_RETURN(std::int64_t time_ms, arguments.Integer(index));
  return CheckTime(time_ms);
}

Result<Value> TimeParse(const Arguments& arguments) {
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneArgument(arguments, 1));
  std::optional<std::int64_t> time_ms = ParseTime(arguments.Text(0), zone);
  if (!time_ms) return Null{};
  return *time_ms;
}

Result<Value> TimeFormat(const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::int64_t time_ms, TimeArgument(arguments, 0));
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneArgument(arguments, 2));
  ASSIGN_OR_RETURN(std::string text, FormatTime(time_ms, arguments.Text(1), zone));
  return text;
}

Result<Value> TimeZoneExists(const Arguments& arguments) {
  return std::int64_t{FindZone(arguments.Text(0)).has_value()};
}

Result<Value> TimeAdd(const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::int64_t time_ms, TimeArgument(arguments, 0));
  ASSIGN_OR_RETURN(std::int64_t n, arguments.Integer(1));
  ASSIGN_OR_RETURN(Unit unit, ParseUnit(arguments.Text(2)));
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneArgument(arguments, 3));
  if (n < -kStepsMax || n > kStepsMax) return Invalid("the time is outside the years 1 to 9999");
  absl::Time sum = Add(absl::FromUnixMillis(time_ms), n, unit, zone);
  ASSIGN_OR_RETURN(std::int64_t sum_ms, CheckTime(absl::ToUnixMillis(sum)));
  return sum_ms;
}

Result<Value> TimeStart(const Arguments& arguments) {
  ASSIGN_OR_RETURN(std::int64_t time_ms, TimeArgument(arguments, 0));
  ASSIGN_OR_RETURN(Unit unit, ParseUnit(arguments.Text(1)));
  ASSIGN_OR_RETURN(absl::TimeZone zone, ZoneArgument(arguments, 2));
  absl::Time time = absl::FromUnixMillis(time_ms);
  absl::TimeZone::CivilInfo wall = zone.At(time);
  absl::CivilSecond civil = StartOf(wall.cs, unit);
  if (unit <= Unit::kHour) {  // counted back, since an hour may come twice
    return absl::ToUnixMillis(time - wall.subsecond - absl::Seconds(wall.cs - civil));
  }
  absl::TimeZone::TimeInfo start = zone.At(civil);
  // Where the clocks skip midnight, the day starts at the skip.
  bool skipped = start.kind == absl::TimeZone::TimeInfo::SKIPPED;
  return absl::ToUnixMillis(skipped ? start.trans : start.pre);
}

}  // namespace

std::span<const Function> TimeFunctions() {
  static constexpr Function kFunctions[] = {{"time_parse", 1, 2, TimeParse},
                                            {"time_format", 2, 3, TimeFormat},
                                            {"time_zone_exists", 1, 1, TimeZoneExists},
                                            {"time_add", 3, 4, TimeAdd},
                                            {"time_start", 2, 3, TimeStart}};
  return kFunctions;
}

}  // namespace viv::engine::functions
