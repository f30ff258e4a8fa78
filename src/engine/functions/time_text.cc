#include "engine/functions/time_text.h"

#include "base/text.h"
#include "engine/functions/function.h"
#include "engine/functions/zone.h"

namespace viv::engine::functions {
namespace {

constexpr std::size_t kFormatMax = 256;

// Takes digits and marks off the front of a text; one failure lasts.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool failed() const { return failed_; }
  bool AtEnd() const { return rest_.empty(); }
  char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }

  bool Take(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(std::string_view any_of) { failed_ = !Take(any_of) || failed_; }

  int Digits(int count) {
    int number = 0;
    for (int i = 0; i < count; ++i) {
      char c = Peek();
      if (c < '0' || c > '9') {
        failed_ = true;
        return 0;
      }
      number = number * 10 + (c - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }

  // The digits after a decimal point, cut to milliseconds.
  int Milliseconds() {
    int value = 0;
    int digits = 0;
    for (; Peek() >= '0' && Peek() <= '9'; rest_.remove_prefix(1)) {
      if (digits++ < 3) value = value * 10 + (Peek() - '0');
    }
    failed_ = failed_ || digits == 0;
    for (; digits < 3; ++digits) value *= 10;
    return value;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

std::optional<absl::CivilDay> ReadDate(TimeReader& reader) {
  int year = reader.Digits(4);
  reader.Expect("-");
  int month = reader.Digits(2);
  reader.Expect("-");
  int day = reader.Digits(2);
  absl::CivilDay date(year, month,
                      day);  // normalizes, so a date that does not exist comes out other
  bool exists = date.year() == year && date.month() == month && date.day() == day && year > 0;
  return reader.failed() || !exists ? std::nullopt : std::optional(date);
}

struct TimeOfDay {
  int seconds = 0;
  int milliseconds = 0;
};

std::optional<TimeOfDay> ReadTimeOfDay(TimeReader& reader) {
  int hour = reader.Digits(2);
  reader.Expect(":");
  int minute = reader.Digits(2);
  int second = reader.Take(":") ? reader.Digits(2) : 0;
  int milliseconds = reader.Take(".,") ? reader.Milliseconds() : 0;
  // 60 is a leap second.
  if (reader.failed() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return TimeOfDay{(hour * 60 + minute) * 60 + second, milliseconds};
}

// Z, +HH:MM, +HHMM or +HH; `local` when there is none.
std::optional<absl::TimeZone> ReadOffset(TimeReader& reader, absl::TimeZone local) {
  if (reader.AtEnd()) return local;
  if (reader.Take("Zz")) return absl::UTCTimeZone();
  int sign = reader.Peek() == '-' ? -1 : 1;
  reader.Expect("+-");
  int hours = reader.Digits(2);
  bool colon = reader.Take(":");
  int minutes = colon || !reader.AtEnd() ? reader.Digits(2) : 0;
  if (reader.failed() || hours > 23 || minutes > 59) return std::nullopt;
  return absl::FixedTimeZone(sign * (hours * 60 + minutes) * 60);
}

void AppendDigits(std::string& text, std::int64_t number, int count) {
  std::int64_t place = 1;
  for (int i = 1; i < count; ++i) place *= 10;
  for (; place > 0; place /= 10) text += static_cast<char>('0' + number / place % 10);
}

// The formats that answers are full of, digit by digit: absl::FormatTime reads the format anew for
// each time. Nothing when it has to be asked.
std::optional<std::string> FormatQuickly(absl::Time time,
                                         std::string_view format,
                                         absl::TimeZone zone) {
  bool milliseconds = format == "rfc3339ms" || format == "jira";
  bool date_only = format == "date";
  if (!milliseconds && !date_only && format != "rfc3339") return std::nullopt;
  absl::TimeZone::CivilInfo wall = zone.At(time);
  if (wall.offset % 60 != 0) return std::nullopt;  // of times before there were zones
  if (wall.cs.year() < 0 || wall.cs.year() > 9999) return std::nullopt;
  std::string text;
  text.reserve(32);
  AppendDigits(text, wall.cs.year(), 4);
  text += '-';
  AppendDigits(text, wall.cs.month(), 2);
  text += '-';
  AppendDigits(text, wall.cs.day(), 2);
  if (date_only) return text;
  text += 'T';
  AppendDigits(text, wall.cs.hour(), 2);
  text += ':';
  AppendDigits(text, wall.cs.minute(), 2);
  text += ':';
  AppendDigits(text, wall.cs.second(), 2);
  if (milliseconds) {
    text += '.';
    AppendDigits(text, absl::ToInt64Milliseconds(wall.subsecond), 3);
  }
  if (format != "jira" && zone == absl::UTCTimeZone()) return text += 'Z';
  int minutes = wall.offset / 60;
  text += minutes < 0 ? '-' : '+';
  minutes = minutes < 0 ? -minutes : minutes;
  AppendDigits(text, minutes / 60, 2);
  if (format != "jira") text += ':';
  AppendDigits(text, minutes % 60, 2);
  return text;
}

}  // namespace

std::optional<std::int64_t> ParseTime(std::string_view text, absl::TimeZone zone) {
  TimeReader reader(Trim(text));
  std::optional<absl::CivilDay> date = ReadDate(reader);
  if (!date) return std::nullopt;
  TimeOfDay time;
  if (!reader.AtEnd()) {
    reader.Expect("Tt ");
    std::optional<TimeOfDay> read = ReadTimeOfDay(reader);
    if (!read) return std::nullopt;
    time = *read;
    reader.Take(" ");
    std::optional<absl::TimeZone> offset = ReadOffset(reader, zone);
    if (!offset) return std::nullopt;
    zone = *offset;
  }
  if (reader.failed() || !reader.AtEnd()) return std::nullopt;
  absl::CivilSecond civil = absl::CivilSecond(*date) + time.seconds;
  std::int64_t ms = absl::ToUnixMillis(Moment(civil, zone)) + time.milliseconds;
  return ms < kTimeMsMin || ms > kTimeMsMax ? std::nullopt : std::optional(ms);
}

Result<std::string> FormatTime(std::int64_t time_ms, std::string_view format, absl::TimeZone zone) {
  RETURN_IF_ERROR(CheckTime(time_ms));
  if (format.size() > kFormatMax) return Invalid("the format is too long");
  absl::Time time = absl::FromUnixMillis(time_ms);
  if (std::optional<std::string> text = FormatQuickly(time, format, zone)) return *std::move(text);
  if (format == "rfc3339")
    format = zone == absl::UTCTimeZone() ? "%E4Y-%m-%dT%H:%M:%SZ" : "%E4Y-%m-%dT%H:%M:%S%Ez";
  if (format == "rfc3339ms") {
    format = zone == absl::UTCTimeZone() ? "%E4Y-%m-%dT%H:%M:%E3SZ" : "%E4Y-%m-%dT%H:%M:%E3S%Ez";
  }
  if (format == "jira") format = "%E4Y-%m-%dT%H:%M:%E3S%z";
  if (format == "rfc2822") format = "%a, %d %b %E4Y %H:%M:%S %z";
  if (format == "date") format = "%E4Y-%m-%d";
  return absl::FormatTime(std::string(format), time, zone);
}

Result<std::int64_t> CheckTime(std::int64_t time_ms) {
  if (time_ms < kTimeMsMin || time_ms > kTimeMsMax) {
    return Invalid("the time is outside the years 1 to 9999");
  }
  return time_ms;
}

}  // namespace viv::engine::functions
