#include "base/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace viv {
namespace {

constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr int kNanosPerSecond = 1'000'000'000;

// Reads the parts of a time from the front of a text; `ok` stays false once something was wrong.
struct TimestampScanner {
  std::string_view rest;
  bool ok = true;

  int Number(std::size_t digits) {
    if (rest.size() < digits) ok = false;
    int value = 0;
    for (std::size_t i = 0; ok && i < digits; ++i) {
      if (rest[i] < '0' || rest[i] > '9') ok = false;
      value = value * 10 + (rest[i] - '0');
    }
    if (ok) rest.remove_prefix(digits);
    return ok ? value : 0;
  }

  bool Accept(std::string_view any_of) {
    if (!ok || rest.empty() || any_of.find(rest.front()) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
  }

  void Expect(std::string_view any_of) { ok = Accept(any_of) && ok; }

  int Fraction() {
    int nanos = 0;
    int digits = 0;
    for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; rest.remove_prefix(1)) {
      if (++digits <= 9) nanos = nanos * 10 + (rest.front() - '0');
    }
    if (digits == 0 || digits > 18) ok = false;  // beyond nanoseconds they are dropped
    for (; digits < 9; ++digits) nanos *= 10;
    return nanos;
  }

  std::int64_t OffsetSeconds() {
    if (Accept("Zz")) return 0;
    bool east = !rest.empty() && rest.front() == '+';
    Expect("+-");
    int hours = Number(2);
    Expect(":");
    int minutes = Number(2);
    if (hours > 23 || minutes > 59) ok = false;
    std::int64_t seconds = hours * 3600 + minutes * 60;
    return east ? seconds : -seconds;
  }
};

}  // namespace

std::string FormatTimestamp(Timestamp time) {
  using std::chrono::days, std::chrono::sys_days;
  std::int64_t seconds = std::clamp(time.seconds, kFirstSecond, kLastSecond);
  int nanos = std::clamp(time.nanos, 0, kNanosPerSecond - 1);
  std::int64_t day = seconds / 86'400 - (seconds % 86'400 < 0 ? 1 : 0);
  std::int64_t second = seconds - day * 86'400;
  std::chrono::year_month_day date{sys_days(days(day))};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), second / 3600, second / 60 % 60, second % 60);
  if (nanos % 1'000'000 == 0) {
    if (nanos != 0) text += fmt::format(".{:03}", nanos / 1'000'000);
  } else if (nanos % 1'000 == 0) {
    text += fmt::format(".{:06}", nanos / 1'000);
  } else {
    text += fmt::format(".{:09}", nanos);
  }
  return text + "Z";
}

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  TimestampScanner scan{text};
  int year = scan.Number(4);
  scan.Expect("-");
  int month = scan.Number(2);
  scan.Expect("-");
  int day = scan.Number(2);
  scan.Expect("Tt ");
  int hour = scan.Number(2);
  scan.Expect(":");
  int minute = scan.Number(2);
  scan.Expect(":");
  int second = scan.Number(2);
  int nanos = scan.Accept(".") ? scan.Fraction() : 0;
  std::int64_t offset = scan.OffsetSeconds();
  std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                   std::chrono::day(day)};
  if (!scan.ok || !scan.rest.empty() || !date.ok()) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  std::int64_t seconds =
      std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400} + hour * 3600 +
      minute * 60 + second - offset;
  if (seconds < kFirstSecond || seconds > kLastSecond) return std::nullopt;
  return Timestamp{seconds, nanos};
}

std::string TimeText(std::int64_t micros) {
  std::string text = IsoMicros(micros);
  text.resize(text.find('+'));
  return text + 'Z';
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  std::optional<Timestamp> time = ParseTimestamp(text);
  if (!time) return std::nullopt;
  return time->seconds * 1'000'000 + time->nanos / 1'000;
}

}  // namespace viv
