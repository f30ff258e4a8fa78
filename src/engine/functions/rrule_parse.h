#pragma once
// RFC 5545 recurrence lines as calendars store them: "RRULE:FREQ=WEEKLY;BYDAY=MO",
// "EXDATE;TZID=…:…" and "RDATE:…". Parsing checks everything, so that expansion needs no errors.

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace viv::engine::functions {

enum class Frequency { kHourly, kDaily, kWeekly, kMonthly, kYearly };

struct ByDay {
  int ordinal = 0;  // 2: the second of the period, -1: the last, 0: every one
  absl::Weekday weekday;
};

// A whole day, a wall-clock time in the event's zone, or a moment.
struct RruleTime {
  enum class Kind { kDay, kWall, kMoment } kind = Kind::kDay;
  absl::CivilSecond civil;  // of kDay (its midnight) and kWall
  absl::Time moment;        // of kMoment
};

struct Rrule {
  Frequency frequency = Frequency::kDaily;
  std::int64_t interval = 1;
  std::optional<std::int64_t> count;
  std::optional<RruleTime> until;  // inclusive
  std::vector<ByDay> by_day;
  std::vector<int> by_month_day;
  std::vector<int> by_month;
  std::vector<int> by_set_position;
  absl::Weekday week_start = absl::Weekday::monday;
};

// What the lines of an event say together.
struct RruleSet {
  std::vector<Rrule> rules;
  std::vector<RruleTime> added;
  std::vector<RruleTime> excluded;
};

// Adds what one line says. Fails with what is wrong, naming the part: "BYMONTH: '13' is not between
// 1 and 12".
Status AddRruleLine(std::string_view line, RruleSet& set);

}  // namespace viv::engine::functions
