// Places in an ordered list: largest and smallest, ranks, percentiles and quartiles.

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/formula/functions.h"
#include "tools/formula/rounding.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

Operand RunRank(Call& call, bool average) {
  double number = call.Number(0), above = 0, same = 0;
  bool ascending = call.Number(2, 0) != 0;
  for (double other : call.NumbersOf(1)) {
    if (other == number) ++same;
    if (ascending ? other < number : other > number) ++above;
  }
  if (same == 0) return Err(ErrorKind::kNotAvailable);
  return Num(above + 1 + (average ? (same - 1) / 2 : 0));
}

// Where a number lies between the smallest and the largest, cut to some digits.
Operand RunPercentRank(Call& call, bool exclusive) {
  NumberList numbers = call.NumbersOf(0);
  double x = call.Number(1);
  int digits = call.Integer(2, 3);
  std::sort(numbers.begin(), numbers.end());
  if (numbers.empty() || digits < 1) return Err(ErrorKind::kNumber);
  if (x < numbers.front() || x > numbers.back()) return Err(ErrorKind::kNotAvailable);
  auto found = std::lower_bound(numbers.begin(), numbers.end(), x);
  double position = static_cast<double>(found - numbers.begin());
  if (*found != x) {
    double below = *(found - 1);
    position += (x - below) / (*found - below) - 1;
  }
  double n = static_cast<double>(numbers.size());
  double rank = exclusive ? (position + 1) / (n + 1) : n == 1 ? 1 : position / (n - 1);
  return Num(RoundTo(rank, digits, Rounding::kDown));
}

Operand RunQuartile(Call& call, bool exclusive) {
  NumberList numbers = call.NumbersOf(0);
  double part = std::trunc(call.Number(1)) / 4;
  return exclusive ? PercentileExclusiveOf(numbers, part) : PercentileOf(numbers, part);
}

Operand RunPercentile(Call& call, bool exclusive) {
  NumberList numbers = call.NumbersOf(0);
  double part = call.Number(1);
  return exclusive ? PercentileExclusiveOf(numbers, part) : PercentileOf(numbers, part);
}

const std::array kRankTable = {
    Function{"LARGE", "RV", 2, 2,
             [](Call& c) { return Operand(NthLargest(c.NumbersOf(0), c.Number(1))); }},
    Function{"SMALL", "RV", 2, 2,
             [](Call& c) { return Operand(NthSmallest(c.NumbersOf(0), c.Number(1))); }},
    Function{"RANK", "VRV", 2, 3, [](Call& c) { return RunRank(c, false); }},
    Function{"RANK.EQ", "VRV", 2, 3, [](Call& c) { return RunRank(c, false); }},
    Function{"RANK.AVG", "VRV", 2, 3, [](Call& c) { return RunRank(c, true); }},
    Function{"PERCENTILE", "RV", 2, 2, [](Call& c) { return RunPercentile(c, false); }},
    Function{"PERCENTILE.INC", "RV", 2, 2, [](Call& c) { return RunPercentile(c, false); }},
    Function{"PERCENTILE.EXC", "RV", 2, 2, [](Call& c) { return RunPercentile(c, true); }},
    Function{"QUARTILE", "RV", 2, 2, [](Call& c) { return RunQuartile(c, false); }},
    Function{"QUARTILE.INC", "RV", 2, 2, [](Call& c) { return RunQuartile(c, false); }},
    Function{"QUARTILE.EXC", "RV", 2, 2, [](Call& c) { return RunQuartile(c, true); }},
    Function{"PERCENTRANK", "RVV", 2, 3, [](Call& c) { return RunPercentRank(c, false); }},
    Function{"PERCENTRANK.INC", "RVV", 2, 3, [](Call& c) { return RunPercentRank(c, false); }},
    Function{"PERCENTRANK.EXC", "RVV", 2, 3, [](Call& c) { return RunPercentRank(c, true); }},
};

}  // namespace

FunctionList RankFunctions() {
  return kRankTable;
}

}  // namespace viv::formula
