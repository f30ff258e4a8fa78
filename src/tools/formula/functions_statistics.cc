// Spread, centre and shape of lists of numbers.

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/formula/functions.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

Operand RunAverageDeviation(Call& call) {
  NumberList numbers = call.Numbers();
  if (numbers.empty()) return Err(ErrorKind::kNumber);
  double mean = SumOf(numbers) / static_cast<double>(numbers.size());
  for (double& number : numbers) number = std::fabs(number - mean);
  return AverageOf(numbers);
}

Operand RunGeometricMean(Call& call) {
  NumberList numbers = call.Numbers();
  if (numbers.empty()) return Err(ErrorKind::kNumber);
  for (double& number : numbers) {
    if (number <= 0) return Err(ErrorKind::kNumber);
    number = std::log(number);
  }
  return Num(std::exp(SumOf(numbers) / static_cast<double>(numbers.size())));
}

Operand RunHarmonicMean(Call& call) {
  NumberList numbers = call.Numbers();
  if (numbers.empty()) return Err(ErrorKind::kNumber);
  for (double& number : numbers) {
    if (number <= 0) return Err(ErrorKind::kNumber);
    number = 1 / number;
  }
  return Num(static_cast<double>(numbers.size()) / SumOf(numbers));
}

Operand RunTrimmedMean(Call& call) {
  NumberList numbers = call.NumbersOf(0);
  double part = call.Number(1);
  if (numbers.empty() || part < 0 || part >= 1) return Err(ErrorKind::kNumber);
  std::sort(numbers.begin(), numbers.end());
  auto cut = static_cast<std::ptrdiff_t>(part * static_cast<double>(numbers.size()) / 2);
  return AverageOf(NumberList(numbers.begin() + cut, numbers.end() - cut));
}

// The sum of the n-th powers of the standardised numbers.
double Moment(const NumberList& numbers, double deviation, int power) {
  double mean = SumOf(numbers) / static_cast<double>(numbers.size());
  NumberList terms;
  for (double number : numbers) terms.push_back(std::pow((number - mean) / deviation, power));
  return SumOf(terms);
}

Operand RunSkew(Call& call, int less) {
  NumberList numbers = call.Numbers();
  double n = static_cast<double>(numbers.size());
  Value deviation = DeviationOf(numbers, less);
  const auto* spread = std::get_if<double>(&deviation);
  if (n < 3 || !spread || *spread == 0) return Err(ErrorKind::kDivideByZero);
  double moment = Moment(numbers, *spread, 3);
  return Num(less == 0 ? moment / n : moment * n / ((n - 1) * (n - 2)));
}

Operand RunKurtosis(Call& call) {
  NumberList numbers = call.Numbers();
  double n = static_cast<double>(numbers.size());
  Value deviation = DeviationOf(numbers, 1);
  const auto* spread = std::get_if<double>(&deviation);
  if (n < 4 || !spread || *spread == 0) return Err(ErrorKind::kDivideByZero);
  double moment = Moment(numbers, *spread, 4);
  return Num(moment * n * (n + 1) / ((n - 1) * (n - 2) * (n - 3)) -
             3 * (n - 1) * (n - 1) / ((n - 2) * (n - 3)));
}

Operand RunModes(Call& call) {
  NumberList numbers = call.Numbers(), modes;
  Value first = ModeOf(numbers);
  if (IsError(first)) return first;
  NumberList sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  auto times = [&](double number) {
    auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), number);
    return end - begin;
  };
  auto most = times(std::get<double>(first));
  for (double number : numbers)
    if (times(number) == most && std::find(modes.begin(), modes.end(), number) == modes.end())
      modes.push_back(number);
  Array out(static_cast<int>(modes.size()), 1);
  std::copy(modes.begin(), modes.end(), out.cells.begin());
  return out;
}

Operand RunFrequency(Call& call) {
  NumberList numbers = call.NumbersOf(0), bins = call.NumbersOf(1);
  std::sort(bins.begin(), bins.end());
  Array out(static_cast<int>(bins.size()) + 1, 1);
  std::vector<double> counts(bins.size() + 1, 0);
  for (double number : numbers) {
    auto bin = std::lower_bound(bins.begin(), bins.end(), number) - bins.begin();
    ++counts[static_cast<std::size_t>(bin)];
  }
  std::copy(counts.begin(), counts.end(), out.cells.begin());
  return out;
}

Operand RunStandardize(Call& call) {
  double x = call.Number(0), mean = call.Number(1), deviation = call.Number(2);
  return deviation <= 0 ? Err(ErrorKind::kNumber) : Num((x - mean) / deviation);
}

template <int kLess>
Operand RunDeviation(Call& call) {
  return DeviationOf(call.Numbers(), kLess);
}
template <int kLess>
Operand RunVariance(Call& call) {
  return VarianceOf(call.Numbers(), kLess);
}

const std::array kStatisticsTable = {
    Function{"MEDIAN", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(MedianOf(c.Numbers())); }},
    Function{"MODE", "|R", 1, kManyArguments, [](Call& c) { return Operand(ModeOf(c.Numbers())); }},
    Function{"MODE.SNGL", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(ModeOf(c.Numbers())); }},
    Function{"MODE.MULT", "|R", 1, kManyArguments, RunModes},
    Function{"STDEV", "|R", 1, kManyArguments, RunDeviation<1>},
    Function{"STDEV.S", "|R", 1, kManyArguments, RunDeviation<1>},
    Function{"STDEV.P", "|R", 1, kManyArguments, RunDeviation<0>},
    Function{"STDEVP", "|R", 1, kManyArguments, RunDeviation<0>},
    Function{"STDEVA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(DeviationOf(c.AllNumbers(), 1)); }},
    Function{"STDEVPA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(DeviationOf(c.AllNumbers(), 0)); }},
    Function{"VAR", "|R", 1, kManyArguments, RunVariance<1>},
    Function{"VAR.S", "|R", 1, kManyArguments, RunVariance<1>},
    Function{"VAR.P", "|R", 1, kManyArguments, RunVariance<0>},
    Function{"VARP", "|R", 1, kManyArguments, RunVariance<0>},
    Function{"VARA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(VarianceOf(c.AllNumbers(), 1)); }},
    Function{"VARPA", "|R", 1, kManyArguments,
             [](Call& c) { return Operand(VarianceOf(c.AllNumbers(), 0)); }},
    Function{"AVEDEV", "|R", 1, kManyArguments, RunAverageDeviation},
    Function{"DEVSQ", "|R", 1, kManyArguments,
             [](Call& c) { return Num(SquaredDeviations(c.Numbers())); }},
    Function{"GEOMEAN", "|R", 1, kManyArguments, RunGeometricMean},
    Function{"HARMEAN", "|R", 1, kManyArguments, RunHarmonicMean},
    Function{"TRIMMEAN", "RV", 2, 2, RunTrimmedMean},
    Function{"SKEW", "|R", 1, kManyArguments, [](Call& c) { return RunSkew(c, 1); }},
    Function{"SKEW.P", "|R", 1, kManyArguments, [](Call& c) { return RunSkew(c, 0); }},
    Function{"KURT", "|R", 1, kManyArguments, RunKurtosis},
    Function{"FREQUENCY", "R", 2, 2, RunFrequency},
    Function{"STANDARDIZE", "V", 3, 3, RunStandardize},
};

}  // namespace

FunctionList StatisticsFunctions() {
  return kStatisticsTable;
}

}  // namespace viv::formula
