#include "engine/guest_sql/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace viv::engine::guest_sql {
namespace {

constexpr std::int64_t kCountMax = 400'000'000'000'000'000;  // keeps every sum within 64 bits

std::int64_t FloorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

std::optional<Moment> InRange(Moment moment) {
  static const std::int64_t kFirst = DaysOf({1, 1, 1}) * kDay;
  static const std::int64_t kLast = (DaysOf({9999, 12, 31}) + 1) * kDay - 1;
  if (moment.micros < kFirst || moment.micros > kLast) return std::nullopt;
  return moment;
}

int DaysInMonth(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

// Monday is 1, Sunday 7.
std::int64_t IsoWeekday(std::int64_t days) {
  return (((days + 3) % 7) + 7) % 7 + 1;
}

struct IsoWeek {
  std::int64_t year;
  std::int64_t week;
};

// The week belongs to the year of its Thursday.
IsoWeek IsoWeekOf(std::int64_t days) {
  const std::int64_t thursday = days - IsoWeekday(days) + 4;
  const int year = CivilOf(thursday).year;
  return {year, (thursday - DaysOf({year, 1, 1})) / 7 + 1};
}

std::optional<Moment> AddMonths(const Moment& moment, std::int64_t months) {
  if (months < -200'000 || months > 200'000) return std::nullopt;
  const Civil civil = CivilOf(moment.days());
  const std::int64_t index = civil.year * std::int64_t{12} + civil.month - 1 + months;
  if (index < 12 || index >= 120'000) return std::nullopt;
  const int year = static_cast<int>(index / 12);
  const int month = static_cast<int>(index % 12) + 1;
  const int day = std::min(civil.day, DaysInMonth(year, month));
  return InRange({DaysOf({year, month, day}) * kDay + moment.micros_of_day(), moment.is_date});
}

struct Unit {
  std::string_view part;
  std::int64_t micros;
};

constexpr Unit kUnits[] = {{"week", 7 * kDay},       {"day", kDay},       {"hour", 3600 * kSecond},
                           {"minute", 60 * kSecond}, {"second", kSecond}, {"millisecond", 1000},
                           {"microsecond", 1}};

std::int64_t UnitMicros(std::string_view part) {
  for (const Unit& unit : kUnits) {
    if (unit.part == part) return unit.micros;
  }
  return 0;
}

int MonthsOf(std::string_view part) {
  if (part == "year") return 12;
  if (part == "quarter") return 3;
  return part == "month" ? 1 : 0;
}

}  // namespace

std::int64_t Moment::days() const {
  return FloorDivide(micros, kDay);
}

std::int64_t Moment::micros_of_day() const {
  return micros - days() * kDay;
}

// The proleptic Gregorian calendar in eras of 400 years, the year beginning in March.
Civil CivilOf(std::int64_t days) {
  const std::int64_t shifted = days + 719'468;
  const std::int64_t era = FloorDivide(shifted, 146'097);
  const std::int64_t day_of_era = shifted - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  Civil civil;
  civil.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  civil.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  civil.year = static_cast<int>(year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0));
  return civil;
}

std::int64_t DaysOf(const Civil& civil) {
  const std::int64_t year = civil.year - (civil.month <= 2 ? 1 : 0);
  const std::int64_t era = FloorDivide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month = civil.month + (civil.month > 2 ? -3 : 9);
  const std::int64_t day_of_year = (153 * month + 2) / 5 + civil.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

std::optional<Moment> MakeDate(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (year < 1 || year > 9999 || month < -100'000 || month > 100'000) return std::nullopt;
  if (day < -4'000'000 || day > 4'000'000) return std::nullopt;
  auto first = AddMonths({DaysOf({static_cast<int>(year), 1, 1}) * kDay, true}, month - 1);
  if (!first) return std::nullopt;
  return InRange({first->micros + (day - 1) * kDay, true});
}

std::optional<Moment> MomentOfEpoch(double number) {
  if (!std::isfinite(number)) return std::nullopt;
  const double size = std::fabs(number);
  double micros = number * 1e6;
  if (size >= 31'536'000'000.0) micros = number * 1e3;
  if (size >= 31'536'000'000'000.0) micros = number;
  if (size >= 31'536'000'000'000'000.0) micros = number / 1e3;
  if (std::fabs(micros) > 4e17) return std::nullopt;
  return InRange({std::llround(micros), false});
}

std::string TimeText(std::int64_t micros_of_day) {
  const std::int64_t seconds = micros_of_day / kSecond;
  std::string text =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  const std::int64_t fraction = micros_of_day % kSecond;
  if (fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

std::string MomentText(const Moment& moment) {
  const Civil civil = CivilOf(moment.days());
  std::string text = fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
  if (!moment.is_date) text += " " + TimeText(moment.micros_of_day());
  return text;
}

std::string TimestampText(std::int64_t ms) {
  auto moment =
      InRange({std::clamp<std::int64_t>(ms, -kCountMax / 1000, kCountMax / 1000) * 1000, false});
  return moment ? MomentText(*moment) : std::string();
}

std::optional<Moment> AddParts(const Moment& moment, std::string_view part, std::int64_t count) {
  if (const int months = MonthsOf(part); months != 0) {
    if (count < -200'000 || count > 200'000) return std::nullopt;
    return AddMonths(moment, count * months);
  }
  const std::int64_t micros = UnitMicros(part);
  if (micros == 0 || count > kCountMax / micros || count < -kCountMax / micros) return std::nullopt;
  return InRange({moment.micros + count * micros, moment.is_date && micros >= kDay});
}

// How many borders of the part lie between the two, as the product counts.
std::optional<std::int64_t> PartsBetween(std::string_view part,
                                         const Moment& from,
                                         const Moment& to) {
  if (const int months = MonthsOf(part); months != 0) {
    auto index = [&](const Moment& moment) {
      const Civil civil = CivilOf(moment.days());
      return FloorDivide(civil.year * std::int64_t{12} + civil.month - 1, months);
    };
    return index(to) - index(from);
  }
  if (part == "week") {
    auto monday = [](const Moment& moment) { return moment.days() - IsoWeekday(moment.days()); };
    return (monday(to) - monday(from)) / 7;
  }
  const std::int64_t micros = UnitMicros(part);
  if (micros == 0) return std::nullopt;
  return FloorDivide(to.micros, micros) - FloorDivide(from.micros, micros);
}

std::optional<Moment> Truncate(const Moment& moment, std::string_view part) {
  Civil civil = CivilOf(moment.days());
  if (const int months = MonthsOf(part); months != 0) {
    civil.month = (civil.month - 1) / months * months + 1;
    civil.day = 1;
    return Moment{DaysOf(civil) * kDay, moment.is_date};
  }
  if (part == "week")
    return InRange({(moment.days() - IsoWeekday(moment.days()) + 1) * kDay, moment.is_date});
  const std::int64_t micros = UnitMicros(part);
  if (micros == 0) return std::nullopt;
  return Moment{FloorDivide(moment.micros, micros) * micros, moment.is_date};
}

std::optional<std::int64_t> PartOf(const Moment& moment, std::string_view part) {
  const std::int64_t days = moment.days();
  const Civil civil = CivilOf(days);
  const std::int64_t second = moment.micros_of_day() / kSecond;
  if (part == "year") return civil.year;
  if (part == "quarter") return (civil.month + 2) / 3;
  if (part == "month") return civil.month;
  if (part == "week") return IsoWeekOf(days).week;
  if (part == "yearofweek") return IsoWeekOf(days).year;
  if (part == "day") return civil.day;
  if (part == "dayofweek") return IsoWeekday(days) % 7;
  if (part == "dayofweekiso") return IsoWeekday(days);
  if (part == "dayofyear") return days - DaysOf({civil.year, 1, 1}) + 1;
  if (part == "hour") return second / 3600;
  if (part == "minute") return second / 60 % 60;
  if (part == "second") return second % 60;
  if (part == "millisecond") return moment.micros_of_day() / 1000 % 1000;
  if (part == "microsecond") return moment.micros_of_day() % kSecond;
  if (part == "epoch_second") return FloorDivide(moment.micros, kSecond);
  if (part == "epoch_millisecond") return FloorDivide(moment.micros, 1000);
  return std::nullopt;
}

}  // namespace viv::engine::guest_sql
