#pragma once
// The figures that sum up a list of numbers; SUBTOTAL, AGGREGATE and the database functions share
// them with the functions of their own names.

#include <vector>

#include "tools/formula/value.h"

namespace viv::formula {

using NumberList = std::vector<double>;

double SumOf(const NumberList& numbers);  // with the rounding errors summed apart
Value AverageOf(const NumberList& numbers);
Value MinOf(const NumberList& numbers);
Value MaxOf(const NumberList& numbers);
Value ProductOf(const NumberList& numbers);  // of nothing: 0
Value MedianOf(NumberList numbers);
double SquaredDeviations(const NumberList& numbers);
// Divided by n - 1 for a sample, by n for all there is.
Value VarianceOf(const NumberList& numbers, int less);
Value DeviationOf(const NumberList& numbers, int less);

// Sorted ascending; `fraction` from 0 to 1 between the first and the last.
Value PercentileOf(NumberList numbers, double fraction);
Value PercentileExclusiveOf(NumberList numbers, double fraction);
Value ModeOf(const NumberList& numbers);
Value NthSmallest(NumberList numbers, double n);
Value NthLargest(NumberList numbers, double n);

}  // namespace viv::formula
