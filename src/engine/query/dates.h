#pragma once
// Dates as query languages write them, in the user's time zone. A date names a stretch of time: a
// day, a minute, a month; what "before" or "on" means for it is the language's business. Times are
// kept within the years 1 to 9999, whatever a query adds to them.

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/query/query.h"

namespace viv::engine::query {

// From start up to but not including end.
struct Period {
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
};

enum class Unit { kMinute, kHour, kDay, kWeek, kMonth, kYear };

struct Span {
  std::int64_t count = 0;
  Unit unit = Unit::kDay;
};

class Calendar {
 public:
  static Result<Calendar> Create(const Context& context, WeekStart week_start);

  std::int64_t now_ms() const { return now_ms_; }

  // Minutes and hours are elapsed time, the others keep the time of day.
  std::int64_t Shift(std::int64_t from_ms, Span span) const;

  // The day, week, month or year of now, moved by `span`: the start of the month and two days.
  Period Around(Unit unit, Span span) const;
  std::string DayOf(std::int64_t ms) const;  // 2025-01-31
  bool IsMidnight(std::int64_t ms) const;

  // 2025-01-31 or 2025/01/31, then perhaps a blank or T, 10:20, :30, .123, and Z or +01:00.
  std::optional<Period> ReadDate(std::string_view text) const;

  // What search boxes take besides: today, yesterday, january, 2025, 2025-01, 01/31/2025, seconds
  // since 1970.
  std::optional<Period> ReadLooseDate(std::string_view text) const;

 private:
  Calendar(std::int64_t now_ms, absl::TimeZone zone, WeekStart week_start)
      : now_ms_(now_ms), zone_(zone), week_start_(week_start) {}

  std::int64_t At(absl::CivilSecond civil) const;
  absl::CivilSecond Civil(std::int64_t ms) const;
  std::optional<Period> ReadMonthOrYear(std::string_view text) const;

  std::int64_t now_ms_;
  absl::TimeZone zone_;
  WeekStart week_start_;
};

// At most six digits; nothing when it is no number.
std::optional<std::int64_t> ReadCount(std::string_view digits);

}  // namespace viv::engine::query
