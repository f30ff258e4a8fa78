#include "dialects/e2b/time_text.h"

#include <chrono>

#include "base/clock.h"

namespace viv::e2b {
namespace {

constexpr std::int64_t kYearOne = -62'135'596'800;
constexpr std::int64_t kYearTenThousand = 253'402'300'800;

// Reads the fixed pieces of a date from left to right.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  bool Number(std::size_t digits, int& value) {
    if (rest_.size() < digits) return false;
    value = 0;
    for (char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }

  bool OneOf(std::string_view characters, char& found) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    found = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }

  bool Is(std::string_view characters) {
    char ignored = 0;
    return OneOf(characters, ignored);
  }

  // What follows a '.': digits beyond microseconds are read and dropped.
  bool Fraction(std::int64_t& micros) {
    std::size_t digits = 0;
    std::int64_t unit = 100'000;
    int digit = 0;
    while (Number(1, digit)) {
      micros += digit * unit;
      unit /= 10;
      if (++digits > 18) return false;
    }
    return digits > 0;
  }

  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

bool ReadOffset(TimeScanner& scanner, int& minutes) {
  char sign = 0;
  if (!scanner.OneOf("Zz+-", sign)) return false;
  if (sign == 'Z' || sign == 'z') return true;
  int hours = 0;
  if (!scanner.Number(2, hours) || !scanner.Is(":") || !scanner.Number(2, minutes)) return false;
  if (hours > 23 || minutes > 59) return false;
  minutes += hours * 60;
  if (sign == '-') minutes = -minutes;
  return true;
}

}  // namespace

std::string TimeText(std::int64_t micros) {
  std::string text = IsoMicros(micros);
  text.resize(text.find('+'));
  return text + 'Z';
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  TimeScanner scanner(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset_minutes = 0;
  std::int64_t micros = 0;
  bool read = scanner.Number(4, year) && scanner.Is("-") && scanner.Number(2, month) &&
              scanner.Is("-") && scanner.Number(2, day) && scanner.Is("Tt ") &&
              scanner.Number(2, hour) && scanner.Is(":") && scanner.Number(2, minute) &&
              scanner.Is(":") && scanner.Number(2, second);
  if (!read || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  if (scanner.Is(".") && !scanner.Fraction(micros)) return std::nullopt;
  if (!ReadOffset(scanner, offset_minutes) || !scanner.done()) return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  std::int64_t seconds = ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
  // An offset can lead out of the years that have four digits.
  if (seconds < kYearOne || seconds >= kYearTenThousand) return std::nullopt;
  return seconds * 1'000'000 + micros;
}

}  // namespace viv::e2b
