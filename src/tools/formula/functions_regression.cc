// Two lists of numbers beside each other: correlation and the line through them.

#include <array>
#include <cmath>

#include "tools/formula/functions.h"
#include "tools/formula/summary.h"

namespace viv::formula {
namespace {

// What every measure here is made of; only pairs of two numbers count.
struct Pairs {
  NumberList x, y;
  double mean_x = 0, mean_y = 0;
  double xx = 0, yy = 0, xy = 0;  // sums of products of the deviations
  double n = 0;

  double slope() const { return xy / xx; }
  double intercept() const { return mean_y - slope() * mean_x; }
};

void SumPairs(Pairs& pairs) {
  pairs.n = static_cast<double>(pairs.x.size());
  if (pairs.n == 0) return;
  pairs.mean_x = SumOf(pairs.x) / pairs.n;
  pairs.mean_y = SumOf(pairs.y) / pairs.n;
  for (std::size_t i = 0; i < pairs.x.size(); ++i) {
    double dx = pairs.x[i] - pairs.mean_x, dy = pairs.y[i] - pairs.mean_y;
    pairs.xx += dx * dx;
    pairs.yy += dy * dy;
    pairs.xy += dx * dy;
  }
}

Pairs ReadPairs(Call& call, int x_argument, int y_argument) {
  Pairs pairs;
  Array x = call.Matrix(x_argument), y = call.Matrix(y_argument);
  if (call.evaluator().halted()) return pairs;
  if (x.cells.size() != y.cells.size()) call.Fail(ErrorKind::kNotAvailable);
  for (std::size_t i = 0; i < x.cells.size() && !call.error(); ++i) {
    if (const auto* error = std::get_if<ErrorKind>(&x.cells[i])) call.Fail(*error);
    if (const auto* error = std::get_if<ErrorKind>(&y.cells[i])) call.Fail(*error);
    const auto* a = std::get_if<double>(&x.cells[i]);
    const auto* b = std::get_if<double>(&y.cells[i]);
    if (!a || !b) continue;
    pairs.x.push_back(*a);
    pairs.y.push_back(*b);
  }
  SumPairs(pairs);
  return pairs;
}

Operand RunCorrelation(Call& call, bool squared) {
  Pairs pairs = ReadPairs(call, 0, 1);
  if (pairs.n < 2 || pairs.xx == 0 || pairs.yy == 0) return Err(ErrorKind::kDivideByZero);
  double r = pairs.xy / std::sqrt(pairs.xx * pairs.yy);
  return Num(squared ? r * r : r);
}

Operand RunCovariance(Call& call, int less) {
  Pairs pairs = ReadPairs(call, 0, 1);
  if (pairs.n - less <= 0) return Err(ErrorKind::kDivideByZero);
  return Num(pairs.xy / (pairs.n - less));
}

Operand RunForecast(Call& call) {
  double x = call.Number(0);
  Pairs pairs = ReadPairs(call, 2, 1);
  if (pairs.n < 1 || pairs.xx == 0) return Err(ErrorKind::kDivideByZero);
  return Num(pairs.intercept() + pairs.slope() * x);
}

Operand RunStandardError(Call& call) {
  Pairs pairs = ReadPairs(call, 1, 0);
  if (pairs.n < 3 || pairs.xx == 0) return Err(ErrorKind::kDivideByZero);
  return Num(std::sqrt((pairs.yy - pairs.xy * pairs.xy / pairs.xx) / (pairs.n - 2)));
}

enum class Curve { kLine, kExponential };

// The known values of LINEST, TREND and their exponential kin; x is 1, 2, 3, … when left out.
Pairs ReadKnown(Call& call, Curve curve) {
  Pairs pairs;
  if (call.Has(1)) {
    pairs = ReadPairs(call, 1, 0);
  } else {
    for (double y : call.NumbersOf(0)) {
      pairs.y.push_back(y);
      pairs.x.push_back(static_cast<double>(pairs.y.size()));
    }
  }
  if (curve == Curve::kExponential)
    for (double& y : pairs.y) {
      if (y <= 0) call.Fail(ErrorKind::kNumber);
      y = std::log(y);
    }
  pairs.mean_x = pairs.mean_y = pairs.xx = pairs.yy = pairs.xy = 0;
  SumPairs(pairs);
  if (pairs.n < 1 || pairs.xx == 0) call.Fail(ErrorKind::kDivideByZero);
  return pairs;
}

Operand RunLinest(Call& call, Curve curve) {
  Pairs pairs = ReadKnown(call, curve);
  if (call.error()) return Err(*call.error());
  Array out(1, 2);
  double slope = pairs.slope(), intercept = pairs.intercept();
  out.At(0, 0) = curve == Curve::kLine ? slope : std::exp(slope);
  out.At(0, 1) = curve == Curve::kLine ? intercept : std::exp(intercept);
  return out;
}

Operand RunTrend(Call& call, Curve curve) {
  Pairs pairs = ReadKnown(call, curve);
  Array at = call.Has(2) ? call.Matrix(2) : call.Has(1) ? call.Matrix(1) : call.Matrix(0);
  if (call.error()) return Err(*call.error());
  double row = 0;
  for (Value& value : at.cells) {
    const auto* number = std::get_if<double>(&value);
    double x = call.Has(1) || call.Has(2) ? (number ? *number : 0) : ++row;
    double y = pairs.intercept() + pairs.slope() * x;
    value = curve == Curve::kLine ? y : std::exp(y);
  }
  return at;
}

const std::array kRegressionTable = {
    Function{"CORREL", "R", 2, 2, [](Call& c) { return RunCorrelation(c, false); }},
    Function{"PEARSON", "R", 2, 2, [](Call& c) { return RunCorrelation(c, false); }},
    Function{"RSQ", "R", 2, 2, [](Call& c) { return RunCorrelation(c, true); }},
    Function{"COVAR", "R", 2, 2, [](Call& c) { return RunCovariance(c, 0); }},
    Function{"COVARIANCE.P", "R", 2, 2, [](Call& c) { return RunCovariance(c, 0); }},
    Function{"COVARIANCE.S", "R", 2, 2, [](Call& c) { return RunCovariance(c, 1); }},
    Function{"SLOPE", "R", 2, 2,
             [](Call& c) {
               Pairs pairs = ReadPairs(c, 1, 0);
               return pairs.xx == 0 ? Err(ErrorKind::kDivideByZero) : Num(pairs.slope());
             }},
    Function{"INTERCEPT", "R", 2, 2,
             [](Call& c) {
               Pairs pairs = ReadPairs(c, 1, 0);
               return pairs.xx == 0 ? Err(ErrorKind::kDivideByZero) : Num(pairs.intercept());
             }},
    Function{"STEYX", "R", 2, 2, RunStandardError},
    Function{"FORECAST", "VRR", 3, 3, RunForecast},
    Function{"FORECAST.LINEAR", "VRR", 3, 3, RunForecast},
    Function{"LINEST", "RRVV", 1, 4, [](Call& c) { return RunLinest(c, Curve::kLine); }},
    Function{"LOGEST", "RRVV", 1, 4, [](Call& c) { return RunLinest(c, Curve::kExponential); }},
    Function{"TREND", "RRRV", 1, 4, [](Call& c) { return RunTrend(c, Curve::kLine); }},
    Function{"GROWTH", "RRRV", 1, 4, [](Call& c) { return RunTrend(c, Curve::kExponential); }},
};

}  // namespace

FunctionList RegressionFunctions() {
  return kRegressionTable;
}

}  // namespace viv::formula
