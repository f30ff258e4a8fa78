// Dates and times for SQL. Arguments are ISO text (or seconds since 1970), results are text of the
// same kind.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "base/text.h"
#include "engine/guest_sql/function.h"
#include "engine/guest_sql/moment.h"

namespace viv::engine::guest_sql {
namespace {

tl::unexpected<Error> NotATimestamp(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("100035 (22007): Timestamp '{}' is not recognized", text));
}

tl::unexpected<Error> NotADate(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("100040 (22007): Date '{}' is not recognized", text));
}

tl::unexpected<Error> OutOfRange() {
  return Fail(ErrorCode::kInvalidArgument, "100042 (22008): Date or timestamp is out of range");
}

Result<Moment> MomentAt(const Arguments& a, std::size_t index) {
  auto moment = a.IsText(index) ? ParseMoment(a.Text(index)) : MomentOfEpoch(a.Real(index));
  if (moment) return *moment;
  // A time of day is a moment of the first day.
  if (auto time = ParseTimeOfDay(a.Text(index))) return Moment{*time, false};
  return NotATimestamp(a.Text(index));
}

Result<Value> TextOf(const std::optional<Moment>& moment) {
  if (!moment) return OutOfRange();
  return Value(MomentText(*moment));
}

std::int64_t Rounded(const Arguments& a, std::size_t index) {
  const double count = a.Real(index);
  return std::fabs(count) < 4e17 ? std::llround(count) : std::int64_t{400'000'000'000'000'000};
}

Result<Value> Dateadd(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment moment, MomentAt(a, 2));
  return TextOf(AddParts(moment, a.Text(0), Rounded(a, 1)));
}

Result<Value> Datediff(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment from, MomentAt(a, 1));
  ASSIGN_OR_RETURN(Moment to, MomentAt(a, 2));
  auto count = PartsBetween(a.Text(0), from, to);
  if (!count) return OutOfRange();
  return Value(*count);
}

Result<Value> DateTrunc(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment moment, MomentAt(a, 1));
  return TextOf(Truncate(moment, a.Text(0)));
}

Result<Value> Datepart(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment moment, MomentAt(a, 1));
  auto value = PartOf(moment, a.Text(0));
  if (!value) return OutOfRange();
  return Value(*value);
}

// '1 month, 2 days', '7 day', '90'
Result<Value> Interval(const Arguments& a) {
  static constexpr std::array<std::string_view, 8> kUnits = {"year", "quarter", "month",  "week",
                                                             "day",  "hour",    "minute", "second"};
  ASSIGN_OR_RETURN(Moment moment, MomentAt(a, 0));
  for (std::string_view term : Split(a.Text(1), ',')) {
    term = Trim(term);
    const std::size_t digits = std::min(term.find_first_not_of("-+0123456789."), term.size());
    const double count = std::strtod(std::string(term.substr(0, digits)).c_str(), nullptr);
    const std::string word = ToLower(Trim(term.substr(digits)));
    std::string_view unit = word.empty() ? "second" : std::string_view();
    for (std::string_view known : kUnits) {
      if (word == known || word == std::string(known) + "s" || (word == "mon" && known == "month"))
        unit = known;
    }
    if (unit.empty() || digits == 0 || std::fabs(count) > 1e15) {
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("001003 (42000): SQL compilation error:\nInvalid interval '{}'.", a.Text(1)));
    }
    auto moved = AddParts(moment, unit, std::llround(count) * a.Integer(2));
    if (!moved) return OutOfRange();
    moment = *moved;
  }
  return Value(MomentText(moment));
}

std::optional<Moment> Read(const Arguments& a) {
  if (!a.IsText(0)) return MomentOfEpoch(a.Real(0));
  if (a.size() > 1 && a.IsText(1)) return ParseMomentAs(a.Text(0), a.Text(1));
  if (a.Text(0).find_first_not_of("0123456789") == std::string_view::npos &&
      a.Text(0).size() < 20) {
    return MomentOfEpoch(std::strtod(std::string(a.Text(0)).c_str(), nullptr));
  }
  return ParseMoment(a.Text(0));
}

Result<Value> TryToDate(const Arguments& a) {
  auto moment = Read(a);
  if (!moment) return NullValue();
  return Value(MomentText({moment->micros, true}));
}

Result<Value> ToDate(const Arguments& a) {
  ASSIGN_OR_RETURN(Value value, TryToDate(a));
  if (IsNull(value)) return NotADate(a.Text(0));
  return value;
}

Result<Value> TryToTimestamp(const Arguments& a) {
  auto moment = Read(a);
  if (!moment) return NullValue();
  return Value(MomentText({moment->micros, false}));
}

Result<Value> ToTimestamp(const Arguments& a) {
  ASSIGN_OR_RETURN(Value value, TryToTimestamp(a));
  if (IsNull(value)) return NotATimestamp(a.Text(0));
  return value;
}

Result<Value> ToChar(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment moment, MomentAt(a, 0));
  if (a.Text(1).size() > 1000) return OutOfRange();
  return Value(FormatMoment(moment, a.Text(1)));
}

Result<Value> DateFromParts(const Arguments& a) {
  return TextOf(MakeDate(a.Integer(0), a.Integer(1), a.Integer(2)));
}

Result<Value> TimestampFromParts(const Arguments& a) {
  auto date = MakeDate(a.Integer(0), a.Integer(1), a.Integer(2));
  if (!date) return OutOfRange();
  Moment moment{date->micros, false};
  for (auto [part, index] :
       {std::pair("hour", 3), std::pair("minute", 4), std::pair("second", 5)}) {
    auto moved = AddParts(moment, part, a.Integer(static_cast<std::size_t>(index)));
    if (!moved) return OutOfRange();
    moment = *moved;
  }
  return Value(MomentText(moment));
}

Result<Value> LastDay(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment moment, MomentAt(a, 0));
  auto first = Truncate({moment.micros, true}, "month");
  auto next = first ? AddParts(*first, "month", 1) : std::nullopt;
  return TextOf(next ? AddParts(*next, "day", -1) : std::nullopt);
}

Result<Value> MonthsBetween(const Arguments& a) {
  ASSIGN_OR_RETURN(Moment to, MomentAt(a, 0));
  ASSIGN_OR_RETURN(Moment from, MomentAt(a, 1));
  const auto months = static_cast<double>(PartsBetween("month", from, to).value_or(0));
  const Civil end = CivilOf(to.days());
  const Civil begin = CivilOf(from.days());
  auto is_last = [](const Moment& moment) { return CivilOf(moment.days() + 1).day == 1; };
  if (end.day == begin.day || (is_last(to) && is_last(from))) return Value(months);
  return Value(months + (end.day - begin.day) / 31.0);
}

Result<Value> Now(const Arguments& a) {
  return Value(TimestampText(a.Integer(0)));
}

Result<Value> Today(const Arguments& a) {
  return Value(TimestampText(a.Integer(0)).substr(0, 10));
}

Result<Value> TimeNow(const Arguments& a) {
  const std::string text = TimestampText(a.Integer(0));
  return Value(text.size() > 11 ? text.substr(11) : text);
}

constexpr Function kTimeFunctions[] = {
    {"g$dateadd", Dateadd, 3, 3},
    {"g$datediff", Datediff, 3, 3},
    {"g$date_trunc", DateTrunc, 2, 2},
    {"g$datepart", Datepart, 2, 2},
    {"g$interval", Interval, 3, 3},
    {"g$to_date", ToDate, 1, 2},
    {"g$try_to_date", TryToDate, 1, 2},
    {"g$to_timestamp", ToTimestamp, 1, 2},
    {"g$try_to_timestamp", TryToTimestamp, 1, 2},
    {"g$to_char", ToChar, 2, 2},
    {"g$date_from_parts", DateFromParts, 3, 3},
    {"g$timestamp_from_parts", TimestampFromParts, 6, 6},
    {"g$last_day", LastDay, 1, 1},
    {"g$months_between", MonthsBetween, 2, 2},
    {"g$now", Now, 1, 1},
    {"g$today", Today, 1, 1},
    {"g$time_now", TimeNow, 1, 1},
};

}  // namespace

std::span<const Function> TimeFunctions() {
  return kTimeFunctions;
}

}  // namespace viv::engine::guest_sql
