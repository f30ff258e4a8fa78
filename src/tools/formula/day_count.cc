#include "tools/formula/day_count.h"

#include <algorithm>
#include <cmath>

#include "tools/formula/calendar.h"

namespace viv::formula {
namespace {

bool IsLastOfFebruary(const CalendarDate& date) {
  return date.month == 2 && date.day == DaysInMonth(date.year, 2);
}

// Actual/actual: within a year by that year's length, over several by their average.
double ActualYears(double start, double end) {
  CalendarDate a = DateFromSerial(start), b = DateFromSerial(end);
  bool within_a_year =
      a.year == b.year ||
      (b.year == a.year + 1 && (a.month > b.month || (a.month == b.month && a.day >= b.day)));
  if (!within_a_year) {
    double days = SerialFromDate(b.year + 1, 1, 1) - SerialFromDate(a.year, 1, 1);
    return (end - start) / (days / (b.year - a.year + 1));
  }
  bool leap = a.year == b.year ? IsLeapYear(a.year)
                               : (IsLeapYear(a.year) && SerialFromDate(a.year, 2, 29) >= start) ||
                                     (IsLeapYear(b.year) && SerialFromDate(b.year, 2, 29) <= end);
  return (end - start) / (leap ? 366 : 365);
}

}  // namespace

double Days360(double start, double end, Method360 method) {
  CalendarDate a = DateFromSerial(start), b = DateFromSerial(end);
  if (method == Method360::kEuropean) {
    a.day = std::min(a.day, 30);
    b.day = std::min(b.day, 30);
  } else {
    if (IsLastOfFebruary(a)) a.day = 30;
    if (b.day == 31 && a.day >= 30) b.day = 30;
    if (a.day == 31) a.day = 30;
  }
  return (b.year - a.year) * 360 + (b.month - a.month) * 30 + (b.day - a.day);
}

double YearFraction(double start, double end, int basis) {
  if (start > end) std::swap(start, end);
  if (start == end) return 0;
  switch (basis) {
    case 1:
      return ActualYears(start, end);
    case 2:
      return (end - start) / 360;
    case 3:
      return (end - start) / 365;
    case 4:
      return Days360(start, end, Method360::kEuropean) / 360;
    default:
      break;
  }
  CalendarDate a = DateFromSerial(start), b = DateFromSerial(end);
  // Both at the end of February: the later one counts as a 30th as well.
  if (IsLastOfFebruary(a) && IsLastOfFebruary(b))
    return ((b.year - a.year) * 360 + (b.month - a.month) * 30) / 360.0;
  return Days360(start, end, Method360::kUs) / 360;
}

}  // namespace viv::formula
