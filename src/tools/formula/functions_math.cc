// Plain arithmetic: roots and powers, rounding, divisibility, combinations.

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "tools/formula/functions.h"
#include "tools/formula/rounding.h"

namespace viv::formula {

double FloorNear(double number) {
  double nearest = std::round(number);
  if (std::fabs(number - nearest) <= std::fabs(number) * 4e-16) return nearest;
  return std::floor(number);
}

double RoundTo(double number, int places, Rounding rounding) {
  if (places > 20 || number == 0 || !std::isfinite(number)) return number;
  if (places < -308) return 0;
  double scale = std::pow(10.0, std::abs(places));
  double size = std::fabs(number);
  double scaled = places >= 0 ? size * scale : size / scale;
  if (!std::isfinite(scaled) || scaled > 9e15) return number;
  double whole = 0;
  switch (rounding) {
    case Rounding::kNearest:
      whole = FloorNear(scaled + 0.5);
      break;
    case Rounding::kUp:
      whole = -FloorNear(-scaled);
      break;
    case Rounding::kDown:
      whole = FloorNear(scaled);
      break;
  }
  double result = places >= 0 ? whole / scale : whole * scale;
  return number < 0 ? -result : result;
}

namespace {

Operand RunRound(Call& call, Rounding rounding) {
  double number = call.Number(0);
  return Num(RoundTo(number, call.Integer(1, 0), rounding));
}

enum class Toward { kUp, kDown };  // to the larger, to the smaller number

double StepMultiple(double number, double step, Toward toward) {
  double count = number / step;
  return (toward == Toward::kUp ? -FloorNear(-count) : FloorNear(count)) * step;
}

// CEILING and FLOOR: the sign of the step decides the direction for negative numbers.
Operand RunStep(Call& call, Toward toward) {
  double number = call.Number(0), step = call.Number(1, number < 0 ? -1 : 1);
  if (number == 0) return Num(0);
  if (step == 0) return toward == Toward::kUp ? Num(0) : Err(ErrorKind::kDivideByZero);
  if (number > 0 && step < 0) return Err(ErrorKind::kNumber);
  if (number < 0 && step < 0) return Num(-StepMultiple(-number, -step, toward));
  return Num(StepMultiple(number, step, toward));
}

// CEILING.MATH and FLOOR.MATH: a third argument turns the direction of negative numbers.
Operand RunStepMath(Call& call, Toward toward) {
  double number = call.Number(0), step = std::fabs(call.Number(1, 1));
  bool turned = call.Number(2, 0) != 0 && number < 0;
  if (step == 0 || number == 0) return Num(0);
  if (turned) toward = toward == Toward::kUp ? Toward::kDown : Toward::kUp;
  return Num(StepMultiple(number, step, toward));
}

double RemainderOf(double number, double divisor) {
  double result = number - divisor * FloorNear(number / divisor);
  return std::fabs(result) < std::fabs(number) * 1e-15 ? 0 : result;
}

Operand RunGcd(Call& call, bool is_lcm) {
  double result = is_lcm ? 1 : 0;
  for (double number : call.Numbers()) {
    double whole = std::floor(number);
    if (whole < 0 || whole > 9e15) return Err(ErrorKind::kNumber);
    double a = result, b = whole;
    while (b != 0) a = std::exchange(b, std::fmod(a, b));
    if (!is_lcm) result = a;
    if (is_lcm) result = a == 0 ? 0 : result / a * whole;
    if (result > 9e15) return Err(ErrorKind::kNumber);
  }
  return Num(result);
}

// n over k by products, exact as long as the result is.
double Choose(double n, double k) {
  if (k > n - k) k = n - k;
  double result = 1;
  for (double i = 1; i <= k && std::isfinite(result); ++i) result = result * (n - k + i) / i;
  return std::round(result);
}

Operand RunCombinations(Call& call, bool repeated) {
  double n = std::trunc(call.Number(0)), k = std::trunc(call.Number(1));
  if (repeated && n + k > 0) n = n + k - 1;
  if (n < 0 || k < 0 || k > n) return Err(ErrorKind::kNumber);
  if (n > 1e6) return Err(ErrorKind::kNumber);
  return Num(Choose(n, k));
}

Operand RunPermutations(Call& call) {
  double n = std::trunc(call.Number(0)), k = std::trunc(call.Number(1));
  if (n < 0 || k < 0 || k > n || n > 1e6) return Err(ErrorKind::kNumber);
  double result = 1;
  for (double i = 0; i < k && std::isfinite(result); ++i) result *= n - i;
  return Num(result);
}

Operand RunFactorial(Call& call, int step) {
  double n = std::trunc(call.Number(0));
  if (n < (step == 2 ? -1 : 0) || n > 300) return Err(ErrorKind::kNumber);
  double result = 1;
  for (double i = n; i > 1; i -= step) result *= i;
  return Num(result);
}

Operand RunMultinomial(Call& call) {
  double sum = 0, result = 1;
  for (double number : call.Numbers()) {
    double k = std::trunc(number);
    if (k < 0 || sum + k > 1000) return Err(ErrorKind::kNumber);
    sum += k;
    result *= Choose(sum, k);
  }
  return Num(result);
}

Operand RunLogarithm(Call& call) {
  double number = call.Number(0), base = call.Number(1, 10);
  if (number <= 0 || base <= 0) return Err(ErrorKind::kNumber);
  if (base == 1) return Err(ErrorKind::kDivideByZero);
  if (base == 10) return Num(std::log10(number));
  if (base == 2) return Num(std::log2(number));
  return Num(std::log(number) / std::log(base));
}

Operand RunMround(Call& call) {
  double number = call.Number(0), step = call.Number(1);
  if (step == 0 || number == 0) return Num(0);
  if ((number < 0) != (step < 0)) return Err(ErrorKind::kNumber);
  return Num(FloorNear(number / step + 0.5) * step);
}

Operand RunEvenOdd(Call& call, bool odd) {
  double number = call.Number(0), size = std::fabs(number);
  double result = odd ? -FloorNear(-(size - 1) / 2) * 2 + 1 : -FloorNear(-size / 2) * 2;
  if (odd && size < 1) result = 1;
  return Num(number < 0 ? -result : result);
}

Operand RunRandomBetween(Call& call) {
  double low = std::ceil(call.Number(0)), high = std::floor(call.Number(1));
  if (low > high) return Err(ErrorKind::kNumber);
  return Num(low + std::floor(call.evaluator().Random() * (high - low + 1)));
}

Operand RunSeriesSum(Call& call) {
  double x = call.Number(0), power = call.Number(1), step = call.Number(2), sum = 0;
  for (double factor : call.NumbersOf(3)) {
    sum += factor * std::pow(x, power);
    power += step;
  }
  return Num(sum);
}

const std::array kMathTable = {
    Function{"ABS", "V", 1, 1, [](Call& c) { return Num(std::fabs(c.Number(0))); }},
    Function{"SIGN", "V", 1, 1,
             [](Call& c) {
               double n = c.Number(0);
               return Num(n > 0 ? 1 : n < 0 ? -1 : 0);
             }},
    Function{"SQRT", "V", 1, 1,
             [](Call& c) {
               double n = c.Number(0);
               return n < 0 ? Err(ErrorKind::kNumber) : Num(std::sqrt(n));
             }},
    Function{"SQRTPI", "V", 1, 1,
             [](Call& c) { return Num(std::sqrt(c.Number(0) * std::numbers::pi)); }},
    Function{"EXP", "V", 1, 1, [](Call& c) { return Num(std::exp(c.Number(0))); }},
    Function{"LN", "V", 1, 1,
             [](Call& c) {
               double n = c.Number(0);
               return n <= 0 ? Err(ErrorKind::kNumber) : Num(std::log(n));
             }},
    Function{"LOG", "V", 1, 2, RunLogarithm},
    Function{"LOG10", "V", 1, 1, RunLogarithm},
    Function{"POWER", "V", 2, 2,
             [](Call& c) { return Operand(Calculate("^", c.Scalar(0), c.Scalar(1))); }},
    Function{"INT", "V", 1, 1, [](Call& c) { return Num(FloorNear(c.Number(0))); }},
    Function{"TRUNC", "V", 1, 2, [](Call& c) { return RunRound(c, Rounding::kDown); }},
    Function{"ROUND", "V", 1, 2, [](Call& c) { return RunRound(c, Rounding::kNearest); }},
    Function{"ROUNDUP", "V", 1, 2, [](Call& c) { return RunRound(c, Rounding::kUp); }},
    Function{"ROUNDDOWN", "V", 1, 2, [](Call& c) { return RunRound(c, Rounding::kDown); }},
    Function{"MROUND", "V", 2, 2, RunMround},
    Function{"CEILING", "V", 1, 2, [](Call& c) { return RunStep(c, Toward::kUp); }},
    Function{"FLOOR", "V", 1, 2, [](Call& c) { return RunStep(c, Toward::kDown); }},
    Function{"CEILING.MATH", "V", 1, 3, [](Call& c) { return RunStepMath(c, Toward::kUp); }},
    Function{"FLOOR.MATH", "V", 1, 3, [](Call& c) { return RunStepMath(c, Toward::kDown); }},
    Function{"CEILING.PRECISE", "V", 1, 2, [](Call& c) { return RunStepMath(c, Toward::kUp); }},
    Function{"ISO.CEILING", "V", 1, 2, [](Call& c) { return RunStepMath(c, Toward::kUp); }},
    Function{"FLOOR.PRECISE", "V", 1, 2, [](Call& c) { return RunStepMath(c, Toward::kDown); }},
    Function{"EVEN", "V", 1, 1, [](Call& c) { return RunEvenOdd(c, false); }},
    Function{"ODD", "V", 1, 1, [](Call& c) { return RunEvenOdd(c, true); }},
    Function{"MOD", "V", 2, 2,
             [](Call& c) {
               double number = c.Number(0), divisor = c.Number(1);
               if (divisor == 0) return Err(ErrorKind::kDivideByZero);
               return Num(RemainderOf(number, divisor));
             }},
    Function{"QUOTIENT", "V", 2, 2,
             [](Call& c) {
               double number = c.Number(0), divisor = c.Number(1);
               if (divisor == 0) return Err(ErrorKind::kDivideByZero);
               return Num(std::trunc(number / divisor));
             }},
    Function{"GCD", "|R", 1, kManyArguments, [](Call& c) { return RunGcd(c, false); }},
    Function{"LCM", "|R", 1, kManyArguments, [](Call& c) { return RunGcd(c, true); }},
    Function{"FACT", "V", 1, 1, [](Call& c) { return RunFactorial(c, 1); }},
    Function{"FACTDOUBLE", "V", 1, 1, [](Call& c) { return RunFactorial(c, 2); }},
    Function{"COMBIN", "V", 2, 2, [](Call& c) { return RunCombinations(c, false); }},
    Function{"COMBINA", "V", 2, 2, [](Call& c) { return RunCombinations(c, true); }},
    Function{"PERMUT", "V", 2, 2, RunPermutations},
    Function{
        "PERMUTATIONA", "V", 2, 2,
        [](Call& c) { return Num(std::pow(std::trunc(c.Number(0)), std::trunc(c.Number(1)))); }},
    Function{"MULTINOMIAL", "|R", 1, kManyArguments, RunMultinomial},
    Function{"PI", "V", 0, 0, [](Call&) { return Num(std::numbers::pi); }},
    Function{"RAND", "V", 0, 0, [](Call& c) { return Num(c.evaluator().Random()); }},
    Function{"RANDBETWEEN", "V", 2, 2, RunRandomBetween},
    Function{"SERIESSUM", "VVVR", 4, 4, RunSeriesSum},
};

}  // namespace

FunctionList MathFunctions() {
  return kMathTable;
}

}  // namespace viv::formula
