#include "engine/functions/rrule_parse.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string>

#include "base/text.h"
#include "engine/functions/function.h"
#include "engine/functions/zone.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kLineBytesMax = 65536;
constexpr std::size_t kListMax = 400;  // more than BYMONTHDAY or BYSETPOS have values
constexpr std::int64_t kIntervalMax = 10000;
constexpr std::int64_t kCountMax = 1'000'000'000;

std::string Quoted(std::string_view text) {
  return fmt::format("'{}'", text.substr(0, 80));
}

std::optional<std::int64_t> ParseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<std::int64_t> ParsePositive(std::string_view text, std::int64_t max) {
  std::optional<std::int64_t> number = ParseNumber(text);
  if (!number) return Invalid(Quoted(text) + " is not a number");
  if (*number < 1 || *number > max) {
    return Invalid(Quoted(text) + " is not between 1 and " + std::to_string(max));
  }
  return *number;
}

enum class Negative { kNo, kYes };

Result<std::vector<int>> ParseList(std::string_view text, int max, Negative negative) {
  std::vector<int> numbers;
  for (std::string_view item : Split(text, ',')) {
    std::optional<std::int64_t> number = ParseNumber(item);
    if (!number) return Invalid(Quoted(item) + " is not a number");
    std::int64_t size = *number < 0 && negative == Negative::kYes ? -*number : *number;
    if (size < 1 || size > max) {
      std::string range = "between 1 and " + std::to_string(max);
      if (negative == Negative::kYes) range += " or -" + std::to_string(max) + " and -1";
      return Invalid(Quoted(item) + " is not " + range);
    }
    numbers.push_back(static_cast<int>(*number));
    if (numbers.size() > kListMax) return Invalid("too many values");
  }
  return numbers;
}

Result<absl::Weekday> ParseWeekday(std::string_view text) {
  constexpr std::pair<std::string_view, absl::Weekday> kDays[] = {
      {"MO", absl::Weekday::monday},    {"TU", absl::Weekday::tuesday},
      {"WE", absl::Weekday::wednesday}, {"TH", absl::Weekday::thursday},
      {"FR", absl::Weekday::friday},    {"SA", absl::Weekday::saturday},
      {"SU", absl::Weekday::sunday}};
  for (const auto& [name, weekday] : kDays) {
    if (EqualsIgnoreCase(text, name)) return weekday;
  }
  return Invalid(Quoted(text) + " is not a weekday (MO, TU, WE, TH, FR, SA, SU)");
}

Result<std::vector<ByDay>> ParseByDay(std::string_view text) {
  std::vector<ByDay> days;
  for (std::string_view item : Split(text, ',')) {
    std::string_view name = item.size() < 2 ? item : item.substr(item.size() - 2);
    std::string_view ordinal = item.substr(0, item.size() - name.size());
    ByDay day;
    ASSIGN_OR_RETURN(day.weekday, ParseWeekday(name));
    if (!ordinal.empty()) {
      std::optional<std::int64_t> number = ParseNumber(ordinal);
      if (!number || *number == 0 || *number < -53 || *number > 53) {
        return Invalid(Quoted(item) + " does not count weekdays from 1 to 53 or -53 to -1");
      }
      day.ordinal = static_cast<int>(*number);
    }
    days.push_back(day);
    if (days.size() > kListMax) return Invalid("too many values");
  }
  return days;
}

Result<Frequency> ParseFrequency(std::string_view text) {
  constexpr std::pair<std::string_view, Frequency> kFrequencies[] = {
      {"HOURLY", Frequency::kHourly},
      {"DAILY", Frequency::kDaily},
      {"WEEKLY", Frequency::kWeekly},
      {"MONTHLY", Frequency::kMonthly},
      {"YEARLY", Frequency::kYearly}};
  for (const auto& [name, frequency] : kFrequencies) {
    if (EqualsIgnoreCase(text, name)) return frequency;
  }
  return Invalid(Quoted(text) + " is not one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY");
}

int Number(std::string_view digits) {
  return static_cast<int>(ParseNumber(digits).value_or(-1));
}

bool AreDigits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// YYYYMMDD
std::optional<absl::CivilDay> ParseDate(std::string_view text) {
  if (text.size() != 8 || !AreDigits(text)) return std::nullopt;
  absl::CivilDay day(Number(text.substr(0, 4)), Number(text.substr(4, 2)), Number(text.substr(6)));
  // An impossible date comes out as another one.
  bool exists = day.year() >= 1 && day.month() == Number(text.substr(4, 2)) &&
                day.day() == Number(text.substr(6));
  return exists ? std::optional(day) : std::nullopt;
}

// YYYYMMDD, YYYYMMDDTHHMMSS (in `zone` if there is one) or YYYYMMDDTHHMMSSZ
Result<RruleTime> ParseRruleTime(std::string_view text, const std::optional<absl::TimeZone>& zone) {
  std::optional<absl::CivilDay> day = ParseDate(text.substr(0, 8));
  if (day && text.size() == 8) return RruleTime{RruleTime::Kind::kDay, absl::CivilSecond(*day), {}};
  bool utc = text.size() == 16 && text.back() == 'Z';
  if (!day || (text.size() != 15 && !utc) || text[8] != 'T' || !AreDigits(text.substr(9, 6))) {
    return Invalid(Quoted(text) + " is not a date (20250131) or date-time (20250131T090000Z)");
  }
  int hour = Number(text.substr(9, 2));
  int minute = Number(text.substr(11, 2));
  int second = Number(text.substr(13, 2));
  if (hour > 23 || minute > 59 || second > 60)
    return Invalid(Quoted(text) + " is not a time of day");
  absl::CivilSecond civil = absl::CivilSecond(*day) + ((hour * 60 + minute) * 60 + second);
  if (utc)
    return RruleTime{RruleTime::Kind::kMoment, {}, absl::FromCivil(civil, absl::UTCTimeZone())};
  if (zone) return RruleTime{RruleTime::Kind::kMoment, {}, Moment(civil, *zone)};
  return RruleTime{RruleTime::Kind::kWall, civil, {}};
}

Status SetPart(Rrule& rule, std::string_view name, std::string_view value) {
  if (name == "FREQ") {
    ASSIGN_OR_RETURN(rule.frequency, ParseFrequency(value), name);
  } else if (name == "INTERVAL") {
    ASSIGN_OR_RETURN(rule.interval, ParsePositive(value, kIntervalMax), name);
  } else if (name == "COUNT") {
    ASSIGN_OR_RETURN(rule.count, ParsePositive(value, kCountMax), name);
  } else if (name == "UNTIL") {
    ASSIGN_OR_RETURN(rule.until, ParseRruleTime(value, std::nullopt), name);
  } else if (name == "BYDAY") {
    ASSIGN_OR_RETURN(rule.by_day, ParseByDay(value), name);
  } else if (name == "BYMONTHDAY") {
    ASSIGN_OR_RETURN(rule.by_month_day, ParseList(value, 31, Negative::kYes), name);
  } else if (name == "BYMONTH") {
    ASSIGN_OR_RETURN(rule.by_month, ParseList(value, 12, Negative::kNo), name);
  } else if (name == "BYSETPOS") {
    ASSIGN_OR_RETURN(rule.by_set_position, ParseList(value, 366, Negative::kYes), name);
  } else if (name == "WKST") {
    ASSIGN_OR_RETURN(rule.week_start, ParseWeekday(value), name);
  } else {
    return Invalid(Quoted(name) + " is not supported");
  }
  return {};
}

// What single parts cannot show.
Status CheckRule(const Rrule& rule, const std::set<std::string, std::less<>>& parts) {
  if (!parts.contains("FREQ")) return Invalid("FREQ is missing");
  if (rule.count && rule.until) return Invalid("COUNT and UNTIL exclude each other");
  bool counts_weekdays =
      rule.frequency == Frequency::kMonthly || rule.frequency == Frequency::kYearly;
  for (const ByDay& day : rule.by_day) {
    if (day.ordinal != 0 && !counts_weekdays) {
      return Invalid("BYDAY: a number before a weekday needs FREQ=MONTHLY or YEARLY");
    }
  }
  if (rule.frequency == Frequency::kWeekly && !rule.by_month_day.empty()) {
    return Invalid("BYMONTHDAY cannot be used with FREQ=WEEKLY");
  }
  bool selects = !rule.by_day.empty() || !rule.by_month_day.empty() || !rule.by_month.empty();
  if (!rule.by_set_position.empty() && !selects) return Invalid("BYSETPOS needs another BY part");
  return {};
}

Result<Rrule> ParseRule(std::string_view text) {
  Rrule rule;
  std::set<std::string, std::less<>> parts;
  if (text.ends_with(';')) text.remove_suffix(1);
  for (std::string_view part : Split(text, ';')) {
    std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return Invalid(Quoted(part) + " is not NAME=value");
    std::string name(part.substr(0, equals));
    for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (!parts.insert(name).second) return Invalid(Quoted(name) + " occurs twice");
    RETURN_IF_ERROR(SetPart(rule, name, part.substr(equals + 1)));
  }
  RETURN_IF_ERROR(CheckRule(rule, parts));
  return rule;
}

// The parameters of an EXDATE or RDATE: TZID=zone, VALUE=DATE or DATE-TIME.
Result<std::optional<absl::TimeZone>> ParseParameters(std::string_view text) {
  std::optional<absl::TimeZone> zone;
  for (std::string_view parameter : Split(text, ';')) {
    std::size_t equals = parameter.find('=');
    std::string_view name = parameter.substr(0, equals);
    std::string_view value = equals == std::string_view::npos ? "" : parameter.substr(equals + 1);
    if (EqualsIgnoreCase(name, "TZID")) {
      ASSIGN_OR_RETURN(zone, FindZone(value), "TZID");
    } else if (!EqualsIgnoreCase(name, "VALUE")) {
      return Invalid("parameter " + Quoted(name) + " is not supported");
    } else if (!EqualsIgnoreCase(value, "DATE") && !EqualsIgnoreCase(value, "DATE-TIME")) {
      return Invalid("VALUE: " + Quoted(value) + " is not DATE or DATE-TIME");
    }
  }
  return zone;
}

Status AddDates(std::string_view parameters,
                std::string_view values,
                std::vector<RruleTime>& times) {
  std::optional<absl::TimeZone> zone;
  if (!parameters.empty()) {
    ASSIGN_OR_RETURN(zone, ParseParameters(parameters));
  }
  for (std::string_view value : Split(values, ',')) {
    ASSIGN_OR_RETURN(RruleTime time, ParseRruleTime(value, zone));
    times.push_back(time);
  }
  return {};
}

}  // namespace

Status AddRruleLine(std::string_view line, RruleSet& set) {
  if (line.size() > kLineBytesMax) return Invalid("the line is too long");
  line = Trim(line);
  std::size_t colon = line.find(':');
  std::size_t semicolon = line.substr(0, colon).find(';');
  std::string_view name = line.substr(0, std::min(colon, semicolon));
  std::string_view values = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  std::string_view parameters;
  if (semicolon != std::string_view::npos && colon != std::string_view::npos) {
    parameters = line.substr(semicolon + 1, colon - semicolon - 1);
  }
  if (colon != std::string_view::npos) {
    if (EqualsIgnoreCase(name, "EXDATE")) return AddDates(parameters, values, set.excluded);
    if (EqualsIgnoreCase(name, "RDATE")) return AddDates(parameters, values, set.added);
    if (EqualsIgnoreCase(name, "RRULE")) {
      ASSIGN_OR_RETURN(Rrule rule, ParseRule(values));
      set.rules.push_back(std::move(rule));
      return {};
    }
  }
  return Invalid(Quoted(line) + " does not start with RRULE:, EXDATE: or RDATE:");
}

}  // namespace viv::engine::functions
