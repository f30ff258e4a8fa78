// Dates and times: making them, taking them apart, counting between them.

#include <array>
#include <cmath>

#include "tools/formula/calendar.h"
#include "tools/formula/day_count.h"
#include "tools/formula/functions.h"

namespace viv::formula {

double DateArgument(Call& call, int i) {
  double serial = call.Number(i);
  if (call.evaluator().dates_from_1904()) serial += kDaysTo1904;
  if (serial < 0 || serial > kSerialMax) call.Fail(ErrorKind::kNumber);
  return call.error() ? 1 : serial;
}

double DateResult(Call& call, double serial) {
  return call.evaluator().dates_from_1904() ? serial - kDaysTo1904 : serial;
}

namespace {

Operand RunDate(Call& call) {
  double year = std::trunc(call.Number(0)), month = std::trunc(call.Number(1));
  double day = std::trunc(call.Number(2));
  if (year >= 0 && year < 1900) year += 1900;
  if (year < 0 || year > 9999 || std::fabs(month) > 120'000 || std::fabs(day) > 4e6)
    return Err(ErrorKind::kNumber);
  double serial = SerialFromDate(static_cast<long long>(year), static_cast<long long>(month),
                                 static_cast<long long>(day));
  if (serial < 0 || serial > kSerialMax) return Err(ErrorKind::kNumber);
  return Num(DateResult(call, serial));
}

Operand RunTime(Call& call) {
  double seconds = std::trunc(call.Number(0)) * 3600 + std::trunc(call.Number(1)) * 60 +
                   std::trunc(call.Number(2));
  if (seconds < 0) return Err(ErrorKind::kNumber);
  return Num(std::fmod(seconds, 86'400) / 86'400);
}

Operand RunDateValue(Call& call, bool time) {
  std::optional<double> serial = ParseDateText(call.Text(0));
  if (!serial) return Err(ErrorKind::kValue);
  if (time) return Num(*serial - std::floor(*serial));
  return Num(DateResult(call, std::floor(*serial)));
}

Operand RunWeekday(Call& call) {
  int monday_first = WeekdayOfSerial(DateArgument(call, 0)), type = call.Integer(1, 1);
  switch (type) {
    case 1:
      return Num((monday_first + 1) % 7 + 1);
    case 2:
      return Num(monday_first + 1);
    case 3:
      return Num(monday_first);
    default:
      break;
  }
  if (type < 11 || type > 17) return Err(ErrorKind::kNumber);
  return Num((monday_first - (type - 11) + 7) % 7 + 1);
}

double IsoWeek(double serial) {
  double thursday = std::floor(serial) - WeekdayOfSerial(serial) + 3;
  double first = SerialFromDate(DateFromSerial(thursday).year, 1, 1);
  return std::floor((thursday - first) / 7) + 1;
}

Operand RunWeekNumber(Call& call) {
  double serial = std::floor(DateArgument(call, 0));
  int type = call.Integer(1, 1);
  if (type == 21) return Num(IsoWeek(serial));
  int first_day = type == 1 || type == 17 ? 6 : type == 2 || type == 11 ? 0 : type - 11;
  if (type != 1 && type != 2 && (type < 11 || type > 17)) return Err(ErrorKind::kNumber);
  double new_year = SerialFromDate(DateFromSerial(serial).year, 1, 1);
  int offset = (WeekdayOfSerial(new_year) - first_day + 7) % 7;
  return Num(std::floor((serial - new_year + offset) / 7) + 1);
}

// The date so many months on; a day that its month lacks becomes the month's last.
double MonthsLater(double serial, double months) {
  CalendarDate date = DateFromSerial(serial);
  double first = SerialFromDate(date.year, date.month + static_cast<long long>(months), 1);
  CalendarDate target = DateFromSerial(first);
  return first + std::min(date.day, DaysInMonth(target.year, target.month)) - 1;
}

Operand RunMonths(Call& call, bool end_of_month) {
  double serial = std::floor(DateArgument(call, 0)), months = std::trunc(call.Number(1));
  if (std::fabs(months) > 120'000) return Err(ErrorKind::kNumber);
  double result = MonthsLater(serial, months);
  if (end_of_month && result >= 0) {
    CalendarDate date = DateFromSerial(result);
    result += DaysInMonth(date.year, date.month) - date.day;
  }
  if (result < 0 || result > kSerialMax) return Err(ErrorKind::kNumber);
  return Num(DateResult(call, result));
}

Operand RunDateDifference(Call& call) {
  double start = std::floor(DateArgument(call, 0)), end = std::floor(DateArgument(call, 1));
  std::string unit = UpperText(call.Text(2));
  if (start > end) return Err(ErrorKind::kNumber);
  CalendarDate a = DateFromSerial(start), b = DateFromSerial(end);
  int months = (b.year - a.year) * 12 + b.month - a.month - (b.day < a.day ? 1 : 0);
  if (unit == "D") return Num(end - start);
  if (unit == "M") return Num(months);
  if (unit == "Y") return Num(months / 12);
  if (unit == "YM") return Num(months % 12);
  if (unit == "MD") {
    if (b.day >= a.day) return Num(b.day - a.day);
    return Num(end - SerialFromDate(b.year, b.month - 1, a.day));
  }
  if (unit == "YD") {
    double from = SerialFromDate(b.year, a.month, a.day);
    if (from > end) from = SerialFromDate(b.year - 1, a.month, a.day);
    return Num(end - from);
  }
  return Err(ErrorKind::kNumber);
}

Operand RunYearFraction(Call& call) {
  double start = std::floor(DateArgument(call, 0)), end = std::floor(DateArgument(call, 1));
  int basis = call.Integer(2, 0);
  if (basis < 0 || basis > 4) return Err(ErrorKind::kNumber);
  return Num(YearFraction(start, end, basis));
}

const std::array kDateTable = {
    Function{"DATE", "V", 3, 3, RunDate},
    Function{"TIME", "V", 3, 3, RunTime},
    Function{"DATEVALUE", "V", 1, 1, [](Call& c) { return RunDateValue(c, false); }},
    Function{"TIMEVALUE", "V", 1, 1, [](Call& c) { return RunDateValue(c, true); }},
    Function{"YEAR", "V", 1, 1,
             [](Call& c) { return Num(DateFromSerial(DateArgument(c, 0)).year); }},
    Function{"MONTH", "V", 1, 1,
             [](Call& c) { return Num(DateFromSerial(DateArgument(c, 0)).month); }},
    Function{"DAY", "V", 1, 1, [](Call& c) { return Num(DateFromSerial(DateArgument(c, 0)).day); }},
    Function{"HOUR", "V", 1, 1,
             [](Call& c) { return Num(TimeFromSerial(DateArgument(c, 0)).hour); }},
    Function{"MINUTE", "V", 1, 1,
             [](Call& c) { return Num(TimeFromSerial(DateArgument(c, 0)).minute); }},
    Function{"SECOND", "V", 1, 1,
             [](Call& c) {
               return Num(std::fmod(std::round(TimeFromSerial(DateArgument(c, 0)).second), 60));
             }},
    Function{"WEEKDAY", "V", 1, 2, RunWeekday},
    Function{"WEEKNUM", "V", 1, 2, RunWeekNumber},
    Function{"ISOWEEKNUM", "V", 1, 1, [](Call& c) { return Num(IsoWeek(DateArgument(c, 0))); }},
    Function{"TODAY", "V", 0, 0, [](Call& c) { return Num(std::floor(c.evaluator().now())); }},
    Function{"NOW", "V", 0, 0, [](Call& c) { return Num(c.evaluator().now()); }},
    Function{"EDATE", "V", 2, 2, [](Call& c) { return RunMonths(c, false); }},
    Function{"EOMONTH", "V", 2, 2, [](Call& c) { return RunMonths(c, true); }},
    Function{"DAYS", "V", 2, 2,
             [](Call& c) {
               return Num(std::floor(DateArgument(c, 0)) - std::floor(DateArgument(c, 1)));
             }},
    Function{"DAYS360", "V", 2, 3,
             [](Call& c) {
               double start = DateArgument(c, 0), end = DateArgument(c, 1);
               return Num(
                   Days360(start, end, c.Flag(2, false) ? Method360::kEuropean : Method360::kUs));
             }},
    Function{"DATEDIF", "V", 3, 3, RunDateDifference},
    Function{"YEARFRAC", "V", 2, 3, RunYearFraction},
};

}  // namespace

FunctionList DateFunctions() {
  return kDateTable;
}

}  // namespace viv::formula
