#include "engine/query/dates.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace viv::engine::query {
namespace {

constexpr std::int64_t kEarliestMs = -62135596800000;  // 0001-01-01
constexpr std::int64_t kLatestMs = 253402300799999;    // 9999-12-31
constexpr std::int64_t kMinuteMs = 60'000;
constexpr std::array<std::string_view, 12> kMonths = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

std::int64_t Clamp(std::int64_t ms) {
  return std::clamp(ms, kEarliestMs, kLatestMs);
}

// Takes exactly `width` digits from the front of `text`.
std::optional<int> TakeDigits(std::string_view& text, std::size_t width) {
  if (text.size() < width) return std::nullopt;
  int value = 0;
  for (char c : text.substr(0, width)) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(width);
  return value;
}

bool TakeChar(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// absl normalizes the 30th of February to March; such a date is none.
std::optional<absl::CivilDay> MakeDay(int year, int month, int day) {
  absl::CivilDay civil(year, month, day);
  if (year < 1 || civil.month() != month || civil.day() != day) return std::nullopt;
  return civil;
}

std::optional<absl::CivilDay> TakeDay(std::string_view& text) {
  auto year = TakeDigits(text, 4);
  if (!year || text.empty()) return std::nullopt;
  char separator = text.front();
  if (separator != '-' && separator != '/') return std::nullopt;
  text.remove_prefix(1);
  auto month = TakeDigits(text, 2);
  if (!month || !TakeChar(text, separator)) return std::nullopt;
  auto day = TakeDigits(text, 2);
  if (!day) return std::nullopt;
  return MakeDay(*year, *month, *day);
}

struct TimeOfDay {
  int hour = 0, minute = 0, second = 0, milli = 0;
  std::int64_t precision_ms = kMinuteMs;
};

// .5 and .123456 are both fractions of a second; what is finer than a millisecond is dropped.
std::optional<int> TakeFraction(std::string_view& text) {
  int milli = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[digits]));
       ++digits) {
    if (digits < 3) milli = milli * 10 + (text[digits] - '0');
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  for (std::size_t i = digits; i < 3; ++i) milli *= 10;
  return milli;
}

std::optional<TimeOfDay> TakeTime(std::string_view& text) {
  TimeOfDay time;
  auto hour = TakeDigits(text, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  auto minute = TakeDigits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  time.hour = *hour;
  time.minute = *minute;
  if (!TakeChar(text, ':')) return time;
  auto second = TakeDigits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  time.second = *second;
  time.precision_ms = 1000;
  if (!TakeChar(text, '.')) return time;
  auto milli = TakeFraction(text);
  if (!milli) return std::nullopt;
  time.milli = *milli;
  time.precision_ms = 1;
  return time;
}

// Z, +01:00 or +0100 as minutes east of UTC.
std::optional<int> TakeOffset(std::string_view& text) {
  if (TakeChar(text, 'Z')) return 0;
  int sign = TakeChar(text, '-') ? -1 : 1;
  if (sign > 0 && !TakeChar(text, '+')) return std::nullopt;
  auto hours = TakeDigits(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  TakeChar(text, ':');
  auto minutes = TakeDigits(text, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

absl::CivilSecond ShiftCivil(absl::CivilSecond civil, Span span) {
  absl::CivilDay day(civil);
  switch (span.unit) {
    case Unit::kMinute:
      return civil + span.count * 60;
    case Unit::kHour:
      return civil + span.count * 3600;
    case Unit::kDay:
      return civil + span.count * 86400;
    case Unit::kWeek:
      return civil + span.count * 7 * 86400;
    case Unit::kMonth:
    case Unit::kYear:
      break;
  }
  std::int64_t months = span.unit == Unit::kYear ? span.count * 12 : span.count;
  absl::CivilMonth month = absl::CivilMonth(civil) + months;
  // A month later than the 31st is the last day of a shorter month.
  int last_day = (absl::CivilDay(month + 1) - 1).day();
  return absl::CivilSecond(month.year(), month.month(), std::min(day.day(), last_day), civil.hour(),
                           civil.minute(), civil.second());
}

absl::CivilSecond Floor(absl::CivilSecond civil, Unit unit, WeekStart week_start) {
  switch (unit) {
    case Unit::kMinute:
      return absl::CivilSecond(absl::CivilMinute(civil));
    case Unit::kHour:
      return absl::CivilSecond(absl::CivilHour(civil));
    case Unit::kDay:
      break;
    case Unit::kWeek: {
      auto first = week_start == WeekStart::kMonday ? absl::Weekday::monday : absl::Weekday::sunday;
      return absl::CivilSecond(absl::PrevWeekday(absl::CivilDay(civil) + 1, first));
    }
    case Unit::kMonth:
      return absl::CivilSecond(absl::CivilMonth(civil));
    case Unit::kYear:
      return absl::CivilSecond(absl::CivilYear(civil));
  }
  return absl::CivilSecond(absl::CivilDay(civil));
}

}  // namespace

Result<Calendar> Calendar::Create(const Context& context, WeekStart week_start) {
  absl::TimeZone zone;
  std::string_view name = context.time_zone;
  // absl reads "/path" and "file:path" as files; a user's profile must not choose one.
  bool is_name = !name.empty() && name.size() <= 64 && name.find("..") == name.npos &&
                 name.find(':') == name.npos && name.front() != '/';
  if (!is_name || !absl::LoadTimeZone(context.time_zone, &zone)) {
    return Fail(ErrorCode::kInvalidArgument, "unknown time zone '" + context.time_zone + "'");
  }
  return Calendar(Clamp(context.now_ms), zone, week_start);
}

std::int64_t Calendar::At(absl::CivilSecond civil) const {
  return Clamp(absl::ToUnixMillis(zone_.At(civil).pre));
}

absl::CivilSecond Calendar::Civil(std::int64_t ms) const {
  return absl::ToCivilSecond(absl::FromUnixMillis(ms), zone_);
}

std::int64_t Calendar::Shift(std::int64_t from_ms, Span span) const {
  if (span.unit == Unit::kMinute) return Clamp(from_ms + span.count * kMinuteMs);
  if (span.unit == Unit::kHour) return Clamp(from_ms + span.count * 60 * kMinuteMs);
  return At(ShiftCivil(Civil(from_ms), span));
}

Period Calendar::Around(Unit unit, Span span) const {
  absl::CivilSecond start = Floor(Civil(now_ms_), unit, week_start_);
  absl::CivilSecond next = ShiftCivil(start, Span{1, unit});
  return {At(ShiftCivil(start, span)), At(ShiftCivil(next, span))};
}

std::string Calendar::DayOf(std::int64_t ms) const {
  return absl::FormatTime("%E4Y-%m-%d", absl::FromUnixMillis(ms), zone_);
}

bool Calendar::IsMidnight(std::int64_t ms) const {
  return At(absl::CivilSecond(absl::CivilDay(Civil(ms)))) == ms;
}

std::optional<Period> Calendar::ReadDate(std::string_view text) const {
  auto day = TakeDay(text);
  if (!day) return std::nullopt;
  if (text.empty()) {
    return Period{At(absl::CivilSecond(*day)), At(absl::CivilSecond(*day + 1))};
  }
  if (!TakeChar(text, ' ') && !TakeChar(text, 'T')) return std::nullopt;
  auto time = TakeTime(text);
  if (!time) return std::nullopt;
  absl::CivilSecond civil(day->year(), day->month(), day->day(), time->hour, time->minute,
                          time->second);
  std::int64_t start = At(civil);
  if (!text.empty()) {
    auto offset = TakeOffset(text);
    if (!offset || !text.empty()) return std::nullopt;
    start = absl::ToUnixMillis(absl::UTCTimeZone().At(civil).pre) - *offset * kMinuteMs;
  }
  start = Clamp(start + time->milli);
  return Period{start, start + time->precision_ms};
}

std::optional<Period> Calendar::ReadMonthOrYear(std::string_view text) const {
  std::string_view rest = text;
  auto year = TakeDigits(rest, 4);
  if (!year || *year < 1) return std::nullopt;
  if (rest.empty()) {
    return Period{At(absl::CivilSecond(*year)), At(absl::CivilSecond(*year + 1))};
  }
  if (!TakeChar(rest, '-') && !TakeChar(rest, '/')) return std::nullopt;
  auto month = TakeDigits(rest, 2);
  if (!month || !rest.empty() || *month < 1 || *month > 12) return std::nullopt;
  absl::CivilMonth civil(*year, *month);
  return Period{At(absl::CivilSecond(civil)), At(absl::CivilSecond(civil + 1))};
}

std::optional<Period> Calendar::ReadLooseDate(std::string_view text) const {
  if (auto date = ReadDate(text)) return date;
  if (auto period = ReadMonthOrYear(text)) return period;
  std::string lower = ToLower(text);
  if (lower == "today") return Around(Unit::kDay, {});
  if (lower == "yesterday") return Around(Unit::kDay, Span{-1, Unit::kDay});
  auto month = std::find(kMonths.begin(), kMonths.end(), lower);
  if (month != kMonths.end()) {
    // The last such month that has begun: searches look back.
    absl::CivilMonth now(Civil(now_ms_));
    absl::CivilMonth named(now.year(), static_cast<int>(month - kMonths.begin()) + 1);
    if (named > now) named -= 12;
    return Period{At(absl::CivilSecond(named)), At(absl::CivilSecond(named + 1))};
  }
  if (text.size() == 10 && (text[2] == '/' || text[2] == '-') && text[5] == text[2]) {
    return ReadDate(std::string(text.substr(6)) + "-" + std::string(text.substr(0, 2)) + "-" +
                    std::string(text.substr(3, 2)));
  }
  std::int64_t seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || text.size() < 9 || text.size() > 11 || seconds < 0) return std::nullopt;
  return Period{seconds * 1000, seconds * 1000 + 1000};
}

std::optional<std::int64_t> ReadCount(std::string_view digits) {
  if (digits.empty() || digits.size() > 6) return std::nullopt;
  std::string_view rest = digits;
  return TakeDigits(rest, digits.size());
}

}  // namespace viv::engine::query
