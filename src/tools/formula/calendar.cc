#include "tools/formula/calendar.h"

#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "tools/formula/formula.h"

namespace viv::formula {
namespace {

constexpr std::array<std::string_view, 12> kMonthNames = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdayNames = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

// Days since 1970-01-01 of a date in the Gregorian calendar.
long long DaysFromCivil(long long year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  long long era = (year >= 0 ? year : year - 399) / 400;
  long long year_of_era = year - era * 400;
  long long day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
         719'468;
}

CalendarDate CivilFromDays(long long days) {
  days += 719'468;
  long long era = (days >= 0 ? days : days - 146'096) / 146'097;
  long long day_of_era = days - era * 146'097;
  long long year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long long shifted = (5 * day_of_year + 2) / 153;
  int month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  int day = static_cast<int>(day_of_year - (153 * shifted + 2) / 5 + 1);
  return {static_cast<int>(year_of_era + era * 400 + (month <= 2 ? 1 : 0)), month, day};
}

constexpr long long kSerialOfEpoch = 25'569;  // 1970-01-01

// A date's text cut into runs of digits and of letters, with the separators between them.
struct DatePart {
  enum class Kind { kDigits, kLetters, kMark } kind;
  std::string text;
};

std::vector<DatePart> CutDate(std::string_view text) {
  std::vector<DatePart> parts;
  for (char c : text) {
    DatePart::Kind kind = c >= '0' && c <= '9' ? DatePart::Kind::kDigits
                          : (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                              ? DatePart::Kind::kLetters
                              : DatePart::Kind::kMark;
    if (parts.empty() || parts.back().kind != kind || kind == DatePart::Kind::kMark)
      parts.push_back({kind, ""});
    parts.back().text += c;
  }
  return parts;
}

std::optional<int> FindMonth(std::string_view word) {
  if (word.size() < 3) return std::nullopt;
  for (std::size_t i = 0; i < kMonthNames.size(); ++i)
    if (word.size() <= kMonthNames[i].size() &&
        EqualsIgnoreCase(kMonthNames[i].substr(0, word.size()), word))
      return static_cast<int>(i) + 1;
  return std::nullopt;
}

int FullYear(int year, std::size_t digits) {
  if (digits > 2) return year;
  return year < 30 ? 2000 + year : 1900 + year;
}

std::optional<double> CheckedDate(int year, int month, int day) {
  if (year < 1900 || year > 9999 || month < 1 || month > 12) return std::nullopt;
  if (day < 1 || day > DaysInMonth(year, month)) return std::nullopt;
  return SerialFromDate(year, month, day);
}

// Three parts, of which one may be a month's name: Y-M-D, M/D/Y, D-Mon-Y, Mon D, Y.
std::optional<double> ReadDate(std::string_view text) {
  std::vector<DatePart> words;
  for (DatePart& part : CutDate(text)) {
    if (part.kind == DatePart::Kind::kMark) {
      if (std::string_view("-/., ").find(part.text[0]) == std::string_view::npos)
        return std::nullopt;
      continue;
    }
    if (part.text.size() > 9) return std::nullopt;
    words.push_back(std::move(part));
  }
  if (words.size() != 3) return std::nullopt;
  int numbers[3] = {0, 0, 0};
  int named = -1;
  for (int i = 0; i < 3; ++i) {
    const DatePart& word = words[static_cast<std::size_t>(i)];
    if (word.kind == DatePart::Kind::kDigits) {
      if (word.text.size() > 4) return std::nullopt;
      numbers[i] = std::stoi(word.text);
      continue;
    }
    std::optional<int> month = FindMonth(word.text);
    if (!month || named >= 0) return std::nullopt;
    numbers[i] = *month;
    named = i;
  }
  if (named == 0)
    return CheckedDate(FullYear(numbers[2], words[2].text.size()), numbers[0], numbers[1]);
  if (named == 2) return std::nullopt;
  if (words[0].text.size() == 4) return CheckedDate(numbers[0], numbers[1], numbers[2]);
  int year = FullYear(numbers[2], words[2].text.size());
  if (named == 1) return CheckedDate(year, numbers[1], numbers[0]);
  return CheckedDate(year, numbers[0], numbers[1]);
}

// h:mm[:ss[.fff]] [AM|PM]
std::optional<double> ReadTime(std::string_view text) {
  bool is_pm = false, is_twelve = false;
  text = Trim(text);
  if (text.size() > 2) {
    std::string_view tail = text.substr(text.size() - 2);
    is_pm = EqualsIgnoreCase(tail, "PM");
    is_twelve = is_pm || EqualsIgnoreCase(tail, "AM");
    if (is_twelve) text = Trim(text.substr(0, text.size() - 2));
  }
  std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() > 3 || (parts.size() < 2 && !is_twelve)) return std::nullopt;
  double values[3] = {0, 0, 0};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string part(parts[i]);
    std::size_t digits = part.find_first_not_of("0123456789");
    bool fraction = i == 2 && digits != std::string::npos && part[digits] == '.' &&
                    part.find_first_not_of("0123456789", digits + 1) == std::string::npos;
    if (part.empty() || part.size() > 9 || (digits != std::string::npos && !fraction))
      return std::nullopt;
    values[i] = std::stod(part);
  }
  if (values[1] >= 60 || values[2] >= 60) return std::nullopt;
  if (is_twelve && (values[0] < 1 || values[0] > 12)) return std::nullopt;
  if (is_twelve) values[0] = std::fmod(values[0], 12) + (is_pm ? 12 : 0);
  if (values[0] > 9999) return std::nullopt;
  return (values[0] * 3600 + values[1] * 60 + values[2]) / 86'400;
}

}  // namespace

bool IsLeapYear(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int DaysInMonth(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12) return 0;
  return month == 2 && IsLeapYear(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

double SerialFromDate(long long year, long long month, long long day) {
  long long months = year * 12 + month - 1;
  long long whole_year = months >= 0 ? months / 12 : (months - 11) / 12;
  long long days = DaysFromCivil(whole_year, static_cast<int>(months - whole_year * 12) + 1, 1) +
                   day - 1 + kSerialOfEpoch;
  return static_cast<double>(days < 61 ? days - 1 : days);
}

CalendarDate DateFromSerial(double serial) {
  long long days = static_cast<long long>(std::floor(serial));
  return CivilFromDays((days < 60 ? days + 1 : days) - kSerialOfEpoch);
}

ClockTime TimeFromSerial(double serial) {
  double micros = std::round((serial - std::floor(serial)) * 86'400e6);
  if (micros >= 86'400e6) micros = 86'400e6 - 1;
  long long whole = static_cast<long long>(micros);
  ClockTime time;
  time.hour = static_cast<int>(whole / 3'600'000'000);
  time.minute = static_cast<int>(whole / 60'000'000 % 60);
  time.second = static_cast<double>(whole % 60'000'000) / 1e6;
  return time;
}

int WeekdayOfSerial(double serial) {
  long long days = static_cast<long long>(std::floor(serial));
  // Serial 2 is a Monday to everyone who counts this way, and the numbering never skips.
  return static_cast<int>(((days - 2) % 7 + 7) % 7);
}

std::optional<double> ParseDateText(std::string_view text) {
  text = Trim(text);
  if (text.size() < 3 || text.size() > 40) return std::nullopt;
  std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    if (std::optional<double> date = ReadDate(text)) return date;
    return ReadTime(text);
  }
  std::size_t space = text.find_last_of(" T", colon);
  if (space == std::string_view::npos) return ReadTime(text);
  std::optional<double> date = ReadDate(Trim(text.substr(0, space)));
  std::string_view clock = text.substr(space + 1);
  if (!clock.empty() && clock.back() == 'Z') clock.remove_suffix(1);
  std::optional<double> time = ReadTime(clock);
  if (!date || !time || *time >= 1) return std::nullopt;
  return *date + *time;
}

std::string_view MonthName(int month) {
  return month >= 1 && month <= 12 ? kMonthNames[static_cast<std::size_t>(month - 1)] : "";
}

std::string_view WeekdayName(int weekday) {
  return weekday >= 0 && weekday < 7 ? kWeekdayNames[static_cast<std::size_t>(weekday)] : "";
}

double SerialNow() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) /
             86'400e3 +
         static_cast<double>(kSerialOfEpoch);
}

double SerialDate(int year, int month, int day) {
  return SerialFromDate(year, month, day);
}

}  // namespace viv::formula
