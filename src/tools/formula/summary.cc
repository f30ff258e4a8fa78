#include "tools/formula/summary.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace viv::formula {

double SumOf(const NumberList& numbers) {
  double sum = 0, lost = 0;
  for (double number : numbers) {
    double next = sum + number;
    lost += std::fabs(sum) >= std::fabs(number) ? (sum - next) + number : (number - next) + sum;
    sum = next;
  }
  return sum + (std::isfinite(lost) ? lost : 0);
}

Value AverageOf(const NumberList& numbers) {
  if (numbers.empty()) return ErrorKind::kDivideByZero;
  return SumOf(numbers) / static_cast<double>(numbers.size());
}

Value MinOf(const NumberList& numbers) {
  return numbers.empty() ? 0.0 : *std::min_element(numbers.begin(), numbers.end());
}

Value MaxOf(const NumberList& numbers) {
  return numbers.empty() ? 0.0 : *std::max_element(numbers.begin(), numbers.end());
}

Value ProductOf(const NumberList& numbers) {
  if (numbers.empty()) return 0.0;
  double product = 1;
  for (double number : numbers) product *= number;
  return product;
}

Value MedianOf(NumberList numbers) {
  if (numbers.empty()) return ErrorKind::kNumber;
  return PercentileOf(std::move(numbers), 0.5);
}

double SquaredDeviations(const NumberList& numbers) {
  if (numbers.empty()) return 0;
  double mean = SumOf(numbers) / static_cast<double>(numbers.size());
  NumberList squares;
  for (double number : numbers) squares.push_back((number - mean) * (number - mean));
  return SumOf(squares);
}

Value VarianceOf(const NumberList& numbers, int less) {
  double count = static_cast<double>(numbers.size()) - less;
  if (count <= 0) return ErrorKind::kDivideByZero;
  return SquaredDeviations(numbers) / count;
}

Value DeviationOf(const NumberList& numbers, int less) {
  Value variance = VarianceOf(numbers, less);
  if (const auto* number = std::get_if<double>(&variance)) return std::sqrt(*number);
  return variance;
}

Value PercentileOf(NumberList numbers, double fraction) {
  if (numbers.empty() || !(fraction >= 0 && fraction <= 1)) return ErrorKind::kNumber;
  std::sort(numbers.begin(), numbers.end());
  double position = fraction * static_cast<double>(numbers.size() - 1);
  auto below = static_cast<std::size_t>(position);
  if (below + 1 >= numbers.size()) return numbers.back();
  double part = position - static_cast<double>(below);
  return numbers[below] + part * (numbers[below + 1] - numbers[below]);
}

Value PercentileExclusiveOf(NumberList numbers, double fraction) {
  double count = static_cast<double>(numbers.size());
  double position = fraction * (count + 1);
  if (numbers.empty() || !(position >= 1 && position <= count)) return ErrorKind::kNumber;
  std::sort(numbers.begin(), numbers.end());
  auto below = static_cast<std::size_t>(position);
  double part = position - static_cast<double>(below);
  if (below >= numbers.size()) return numbers.back();
  return numbers[below - 1] + part * (numbers[below] - numbers[below - 1]);
}

// The most frequent number; of several the one that comes first in the list.
Value ModeOf(const NumberList& numbers) {
  std::map<double, std::size_t> counts;
  std::size_t most = 1;
  for (double number : numbers)
    if (!std::isnan(number)) most = std::max(most, ++counts[number]);
  if (most < 2) return ErrorKind::kNotAvailable;
  for (double number : numbers)
    if (!std::isnan(number) && counts[number] == most) return number;
  return ErrorKind::kNotAvailable;
}

Value NthSmallest(NumberList numbers, double n) {
  n = std::ceil(n);
  if (!(n >= 1 && n <= static_cast<double>(numbers.size()))) return ErrorKind::kNumber;
  auto nth = numbers.begin() + static_cast<std::ptrdiff_t>(n) - 1;
  std::nth_element(numbers.begin(), nth, numbers.end());
  return *nth;
}

Value NthLargest(NumberList numbers, double n) {
  for (double& number : numbers) number = -number;
  Value found = NthSmallest(std::move(numbers), n);
  if (const auto* number = std::get_if<double>(&found)) return -*number;
  return found;
}

}  // namespace viv::formula
