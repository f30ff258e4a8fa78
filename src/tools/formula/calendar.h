#pragma once
// Serial dates: whole days since 1899-12-30, the part of the day behind the point. Days before
// March 1900 count one less, as every spreadsheet has done since one of them believed in
// 1900-02-29.

#include <optional>
#include <string_view>

namespace viv::formula {

struct CalendarDate {
  int year = 1900;
  int month = 1;
  int day = 1;
};

struct ClockTime {
  int hour = 0, minute = 0;
  double second = 0;
};

constexpr double kSerialMax = 2'958'465.99999999;  // the end of 9999

bool IsLeapYear(int year);
int DaysInMonth(int year, int month);

// Months and days may lie outside their usual bounds: month 14 is February of the next year.
double SerialFromDate(long long year, long long month, long long day);
CalendarDate DateFromSerial(double serial);
ClockTime TimeFromSerial(double serial);  // to the nearest microsecond

int WeekdayOfSerial(double serial);  // 0 is Monday

// Dates as people write them: 2024-01-31, 1/31/2024, 31-Jan-2024, January 31, 2024; with or without
// a time (14:30, 2:30 PM, 14:30:05.5), or the time alone.
std::optional<double> ParseDateText(std::string_view text);

std::string_view MonthName(int month);      // 1 is "January"
std::string_view WeekdayName(int weekday);  // 0 is "Monday"

}  // namespace viv::formula
