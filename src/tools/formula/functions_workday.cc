// Working days: between two dates and so many after one, without weekends and holidays.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tools/formula/calendar.h"
#include "tools/formula/day_count.h"
#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

class WorkCalendar {
 public:
  // Saturday and Sunday are off unless an argument says otherwise.
  WorkCalendar(Call& call, int weekend_argument, int holidays_argument) {
    off_[5] = off_[6] = true;
    if (weekend_argument >= 0 && call.Has(weekend_argument)) ReadWeekend(call, weekend_argument);
    if (!call.Has(holidays_argument)) return;
    call.ForEach(holidays_argument, [&](const Value& value, bool) {
      if (IsBlank(value)) return true;
      tl::expected<double, ErrorKind> serial = ToNumber(value);
      if (!serial) call.Fail(serial.error());
      double shift = call.evaluator().dates_from_1904() ? kDaysTo1904 : 0;
      if (serial) holidays_.insert(std::floor(*serial) + shift);
      return serial.has_value();
    });
  }

  bool Works(double serial) const {
    return !off_[static_cast<std::size_t>(WeekdayOfSerial(serial))] && !holidays_.count(serial);
  }
  bool NeverWorks() const {
    return std::all_of(off_.begin(), off_.end(), [](bool off) { return off; });
  }

  // Working days from first to last, both counted.
  double Between(double first, double last) const {
    double weeks = std::floor((last - first + 1) / 7);
    double days = weeks * static_cast<double>(std::count(off_.begin(), off_.end(), false));
    for (double day = first + weeks * 7; day <= last; ++day)
      days += off_[static_cast<std::size_t>(WeekdayOfSerial(day))] ? 0 : 1;
    for (auto day = holidays_.lower_bound(first); day != holidays_.end() && *day <= last; ++day)
      days -= off_[static_cast<std::size_t>(WeekdayOfSerial(*day))] ? 0 : 1;
    return days;
  }

 private:
  // A number (1: Saturday and Sunday, … 11: Sunday alone, …) or seven digits from Monday on.
  void ReadWeekend(Call& call, int argument) {
    Value value = call.Scalar(argument);
    off_.fill(false);
    if (const auto* text = std::get_if<std::string>(&value); text && text->size() == 7) {
      for (std::size_t i = 0; i < 7; ++i) {
        if ((*text)[i] != '0' && (*text)[i] != '1') call.Fail(ErrorKind::kValue);
        off_[i] = (*text)[i] == '1';
      }
      return;
    }
    int code = call.Integer(argument);
    if (code >= 1 && code <= 7) {
      off_[static_cast<std::size_t>((code + 4) % 7)] = true;
      off_[static_cast<std::size_t>((code + 5) % 7)] = true;
    } else if (code >= 11 && code <= 17) {
      off_[static_cast<std::size_t>((code - 11 + 6) % 7)] = true;
    } else {
      call.Fail(ErrorKind::kNumber);
    }
  }

  std::array<bool, 7> off_{};
  std::set<double> holidays_;
};

Operand RunNetworkDays(Call& call, int weekend, int holidays) {
  double start = std::floor(DateArgument(call, 0)), end = std::floor(DateArgument(call, 1));
  WorkCalendar calendar(call, weekend, holidays);
  if (call.error()) return Err(*call.error());
  return Num(start <= end ? calendar.Between(start, end) : -calendar.Between(end, start));
}

Operand RunWorkday(Call& call, int weekend, int holidays) {
  double day = std::floor(DateArgument(call, 0)), left = std::trunc(call.Number(1));
  WorkCalendar calendar(call, weekend, holidays);
  if (call.error()) return Err(*call.error());
  if (calendar.NeverWorks()) return Err(ErrorKind::kValue);
  double step = left < 0 ? -1 : 1;
  for (left = std::fabs(left); left > 0; left -= calendar.Works(day) ? 1 : 0) {
    day += step;
    if (day < 0 || day > kSerialMax || !call.evaluator().Charge(1)) return Err(ErrorKind::kNumber);
  }
  return Num(DateResult(call, day));
}

const std::array kWorkdayTable = {
    Function{"NETWORKDAYS", "VVR", 2, 3, [](Call& c) { return RunNetworkDays(c, -1, 2); }},
    Function{"NETWORKDAYS.INTL", "VVVR", 2, 4, [](Call& c) { return RunNetworkDays(c, 2, 3); }},
    Function{"WORKDAY", "VVR", 2, 3, [](Call& c) { return RunWorkday(c, -1, 2); }},
    Function{"WORKDAY.INTL", "VVVR", 2, 4, [](Call& c) { return RunWorkday(c, 2, 3); }},
};

}  // namespace

FunctionList WorkdayFunctions() {
  return kWorkdayTable;
}

}  // namespace viv::formula
