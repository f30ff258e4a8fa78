// Dates and times from text and to it, with and without a format.
#include <fmt/format.h>

#include <array>
#include <cctype>

#include "base/text.h"
#include "engine/guest_sql/moment.h"

namespace viv::engine::guest_sql {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed",
                                                       "Thu", "Fri", "Sat"};

// Reads the fields of a date from the left.
class MomentReader {
 public:
  explicit MomentReader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  char Peek() const { return done() ? '\0' : text_[at_]; }
  bool Accept(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  std::optional<int> Digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    int value = 0;
    while (count < most && Peek() >= '0' && Peek() <= '9') {
      value = value * 10 + (text_[at_++] - '0');
      ++count;
    }
    if (count < least) return std::nullopt;
    return value;
  }

  // A month's name or its first three letters.
  std::optional<int> MonthName() {
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
      for (std::string_view name : {kMonths[i], kMonths[i].substr(0, 3)}) {
        if (!EqualsIgnoreCase(text_.substr(at_, name.size()), name)) continue;
        at_ += name.size();
        return static_cast<int>(i) + 1;
      }
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> Fraction() {  // microseconds
    std::int64_t value = 0;
    std::int64_t unit = kSecond;
    bool any = false;
    while (Peek() >= '0' && Peek() <= '9') {
      unit /= 10;
      value += (text_[at_++] - '0') * unit;
      any = true;
    }
    return any ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<Moment> CheckedDate(int year, int month, int day) {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  const std::int64_t days = DaysOf({year, month, day});
  const Civil back = CivilOf(days);
  if (back.month != month || back.day != day) return std::nullopt;
  return Moment{days * kDay, true};
}

std::optional<Moment> ReadDate(MomentReader& reader) {
  auto first = reader.Digits(1, 4);
  if (!first) return std::nullopt;
  if (reader.Accept('/')) {  // month/day/year
    auto day = reader.Digits(1, 2);
    if (!day || !reader.Accept('/')) return std::nullopt;
    auto year = reader.Digits(4, 4);
    return year ? CheckedDate(*year, *first, *day) : std::nullopt;
  }
  if (!reader.Accept('-')) return std::nullopt;
  if (std::isalpha(static_cast<unsigned char>(reader.Peek())) != 0) {  // day-MON-year
    auto month = reader.MonthName();
    if (!month || !reader.Accept('-')) return std::nullopt;
    auto year = reader.Digits(4, 4);
    return year ? CheckedDate(*year, *month, *first) : std::nullopt;
  }
  auto month = reader.Digits(1, 2);
  if (!month || !reader.Accept('-')) return std::nullopt;
  auto day = reader.Digits(1, 2);
  return day ? CheckedDate(*first, *month, *day) : std::nullopt;
}

std::optional<std::int64_t> ReadTime(MomentReader& reader) {
  auto hour = reader.Digits(1, 2);
  if (!hour || *hour > 23) return std::nullopt;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  if (!reader.Accept(':')) return std::nullopt;
  auto read = reader.Digits(2, 2);
  if (!read || *read > 59) return std::nullopt;
  minute = *read;
  if (reader.Accept(':')) {
    read = reader.Digits(2, 2);
    if (!read || *read > 59) return std::nullopt;
    second = *read;
    if (reader.Accept('.')) {
      auto micros = reader.Fraction();
      if (!micros) return std::nullopt;
      fraction = *micros;
    }
  }
  return (*hour * std::int64_t{3600} + minute * 60 + second) * kSecond + fraction;
}

// "Z", "+02:00", "-0800", "+02": how far the text's clock is ahead of UTC.
std::optional<std::int64_t> ReadZone(MomentReader& reader) {
  while (reader.Accept(' ')) {
  }
  if (reader.done() || reader.Accept('Z') || reader.Accept('z')) return 0;
  const bool minus = reader.Peek() == '-';
  if (!reader.Accept('+') && !reader.Accept('-')) return std::nullopt;
  auto hours = reader.Digits(2, 2);
  if (!hours || *hours > 14) return std::nullopt;
  reader.Accept(':');
  const int minutes = reader.Digits(2, 2).value_or(0);
  const std::int64_t ahead = (*hours * std::int64_t{3600} + minutes * 60) * kSecond;
  return minus ? -ahead : ahead;
}

struct Fields {
  int year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  bool has_time = false;
  bool has_half = false;
  bool afternoon = false;
};

constexpr std::array<std::string_view, 25> kElements = {
    "YYYY", "MMMM", "MON", "HH24", "HH12", "AM", "PM",  "FF9", "FF6", "FF3", "FF0", "FF", "DY",
    "YY",   "MM",   "DD",  "HH",   "MI",   "SS", "TZH", "TZM", "TZD", "Y",   "D",   "M"};

std::string_view ElementAt(std::string_view format) {
  for (std::string_view element : kElements) {
    if (element.size() > 1 && EqualsIgnoreCase(format.substr(0, element.size()), element))
      return element;
  }
  return {};
}

bool ReadElement(MomentReader& reader, std::string_view element, Fields& fields) {
  auto number = [&](int& into, std::size_t least, std::size_t most) {
    auto value = reader.Digits(least, most);
    if (value) into = *value;
    return value.has_value();
  };
  if (element == "YYYY") return number(fields.year, 4, 4);
  if (element == "YY") {
    const bool ok = number(fields.year, 2, 2);
    fields.year += fields.year < 70 ? 2000 : 1900;
    return ok;
  }
  if (element == "MON" || element == "MMMM") {
    auto month = reader.MonthName();
    fields.month = month.value_or(0);
    return month.has_value();
  }
  if (element == "MM") return number(fields.month, 1, 2);
  if (element == "DD") return number(fields.day, 1, 2);
  if (element == "AM" || element == "PM") {
    fields.has_half = true;
    fields.afternoon = reader.Peek() == 'P' || reader.Peek() == 'p';
    const bool ok =
        reader.Accept('A') || reader.Accept('a') || reader.Accept('P') || reader.Accept('p');
    return ok && (reader.Accept('M') || reader.Accept('m'));
  }
  fields.has_time = true;
  if (element == "HH24" || element == "HH12" || element == "HH") return number(fields.hour, 1, 2);
  if (element == "MI") return number(fields.minute, 2, 2);
  if (element == "SS") return number(fields.second, 2, 2);
  if (element.starts_with("FF")) {
    auto micros = reader.Fraction();
    fields.fraction = micros.value_or(0);
    return micros.has_value();
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> ParseTimeOfDay(std::string_view text) {
  MomentReader reader(Trim(text));
  auto time = ReadTime(reader);
  return reader.done() ? time : std::nullopt;
}

std::optional<Moment> ParseMoment(std::string_view text) {
  MomentReader reader(Trim(text));
  auto moment = ReadDate(reader);
  if (!moment || reader.done()) return moment;
  if (!reader.Accept('T') && !reader.Accept(' ')) return std::nullopt;
  auto time = ReadTime(reader);
  if (!time) return std::nullopt;
  auto ahead = ReadZone(reader);
  if (!ahead || !reader.done()) return std::nullopt;
  return AddParts({moment->micros + *time - *ahead, false}, "microsecond", 0);
}

std::optional<Moment> ParseMomentAs(std::string_view text, std::string_view format) {
  if (EqualsIgnoreCase(format, "AUTO")) return ParseMoment(text);
  MomentReader reader(Trim(text));
  Fields fields;
  for (std::size_t i = 0; i < format.size();) {
    std::string_view element = ElementAt(format.substr(i));
    if (element.empty()) {
      const char c = format[i++];
      if (c != '"' && !reader.Accept(c))
        return std::nullopt;  // "T" in a format is the letter itself
      continue;
    }
    if (!ReadElement(reader, element, fields)) return std::nullopt;
    i += element.size();
  }
  auto date = CheckedDate(fields.year, fields.month, fields.day);
  if (!date || !reader.done()) return std::nullopt;
  if (!fields.has_time) return date;
  if (fields.has_half) fields.hour = fields.hour % 12 + (fields.afternoon ? 12 : 0);
  if (fields.hour > 23 || fields.minute > 59 || fields.second > 59) return std::nullopt;
  const std::int64_t seconds =
      fields.hour * std::int64_t{3600} + fields.minute * 60 + fields.second;
  return Moment{date->micros + seconds * kSecond + fields.fraction, false};
}

std::string FormatMoment(const Moment& moment, std::string_view format) {
  const Civil civil = CivilOf(moment.days());
  const std::int64_t seconds = moment.micros_of_day() / kSecond;
  const std::int64_t hour = seconds / 3600;
  const std::int64_t fraction = moment.micros_of_day() % kSecond;
  const std::string_view month = kMonths[static_cast<std::size_t>(civil.month - 1)];
  const auto weekday = static_cast<std::size_t>(PartOf(moment, "dayofweek").value_or(0));
  std::string out;
  for (std::size_t i = 0; i < format.size();) {
    std::string_view element = ElementAt(format.substr(i));
    if (element.empty()) {
      if (format[i] != '"') out += format[i];
      ++i;
      continue;
    }
    i += element.size();
    if (element == "YYYY") out += fmt::format("{:04}", civil.year);
    if (element == "YY") out += fmt::format("{:02}", civil.year % 100);
    if (element == "MMMM") out += month;
    if (element == "MON") out += month.substr(0, 3);
    if (element == "MM") out += fmt::format("{:02}", civil.month);
    if (element == "DD") out += fmt::format("{:02}", civil.day);
    if (element == "DY") out += kWeekdays[weekday];
    if (element == "HH24" || element == "HH") out += fmt::format("{:02}", hour);
    if (element == "HH12") out += fmt::format("{:02}", hour % 12 == 0 ? 12 : hour % 12);
    if (element == "AM" || element == "PM") out += hour < 12 ? "AM" : "PM";
    if (element == "MI") out += fmt::format("{:02}", seconds / 60 % 60);
    if (element == "SS") out += fmt::format("{:02}", seconds % 60);
    if (element == "FF3") out += fmt::format("{:03}", fraction / 1000);
    if (element == "FF6") out += fmt::format("{:06}", fraction);
    if (element == "FF9" || element == "FF") out += fmt::format("{:09}", fraction * 1000);
    if (element == "TZH") out += "+00";
    if (element == "TZM") out += "00";
  }
  return out;
}

}  // namespace viv::engine::guest_sql
