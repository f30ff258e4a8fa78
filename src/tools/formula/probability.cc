#include "tools/formula/probability.h"

#include <cmath>
#include <numbers>

namespace viv::formula {
namespace {

constexpr double kTiny = 1e-300;

// The continued fraction of the incomplete beta function, by Lentz's method.
double BetaFraction(double x, double a, double b) {
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (std::fabs(d) < kTiny) d = kTiny;
  d = 1 / d;
  double result = d;
  for (int m = 1; m <= 1000; ++m) {
    for (int half = 0; half < 2; ++half) {
      double term = half == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                              : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 + term * d;
      c = 1 + term / c;
      if (std::fabs(d) < kTiny) d = kTiny;
      if (std::fabs(c) < kTiny) c = kTiny;
      d = 1 / d;
      result *= d * c;
    }
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return result;
}

}  // namespace

double NormalDensity(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

double NormalBelow(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double NormalInverse(double part) {
  // A bisection to the last bit needs no clever first guess.
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (NormalBelow(middle) < part ? low : high) = middle;
  }
  return (low + high) / 2;
}

double GammaBelow(double a, double x) {
  if (x <= 0) return 0;
  double scale = std::exp(-x + a * std::log(x) - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < 10'000 && std::fabs(term) > std::fabs(sum) * 1e-17; ++n)
      sum += term *= x / (a + n);
    return sum * scale;
  }
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, result = d;
  for (int n = 1; n < 10'000; ++n) {
    double term = -n * (n - a);
    b += 2;
    d = term * d + b;
    if (std::fabs(d) < kTiny) d = kTiny;
    c = b + term / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    d = 1 / d;
    result *= d * c;
    if (std::fabs(d * c - 1) < 1e-16) break;
  }
  return 1 - scale * result;
}

double BetaBelow(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double scale = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) +
                          b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return scale * BetaFraction(x, a, b) / a;
  return 1 - scale * BetaFraction(1 - x, b, a) / b;
}

double StudentBelow(double t, double freedom) {
  double tail = BetaBelow(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

double LogChoose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace viv::formula
