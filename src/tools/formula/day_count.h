#pragma once
// Counting days as accountants do: months of 30 days, years of 360 or 365.

namespace viv::formula {

class Call;

enum class Method360 { kUs, kEuropean };

double Days360(double start, double end, Method360 method);

// `basis` 0: 30/360 US, 1: actual/actual, 2: actual/360, 3: actual/365, 4: 30/360 European.
double YearFraction(double start, double end, int basis);

// The argument as a serial date; what lies outside the calendar fails the call.
double DateArgument(Call& call, int i);

// A serial date as the workbook counts it: those of 1904 count from four years later.
constexpr double kDaysTo1904 = 1462;
double DateResult(Call& call, double serial);

}  // namespace viv::formula
