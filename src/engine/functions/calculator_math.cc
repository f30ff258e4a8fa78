#include "engine/functions/calculator_math.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "engine/functions/function.h"

namespace viv::engine::functions {
namespace {

double Degrees(double x) {
  return x * (180.0 / std::numbers::pi);
}

double Radians(double x) {
  return x * (std::numbers::pi / 180.0);
}

// Infinite at zero and the negative whole numbers, where the mathematics has no value.
double Gamma(double x) {
  bool pole = x <= 0 && std::trunc(x) == x;
  return pole ? std::nan("") : std::tgamma(x);
}

double LogGamma(double x) {
  bool pole = x <= 0 && std::trunc(x) == x && std::isfinite(x);
  return pole ? std::nan("") : std::lgamma(x);
}

constexpr RealFunction kRealFunctions[] = {{"sqrt", std::sqrt},
                                           {"cbrt", std::cbrt},
                                           {"sin", std::sin},
                                           {"cos", std::cos},
                                           {"tan", std::tan},
                                           {"asin", std::asin},
                                           {"acos", std::acos},
                                           {"atan", std::atan},
                                           {"sinh", std::sinh, Overflow::kIsRange},
                                           {"cosh", std::cosh, Overflow::kIsRange},
                                           {"tanh", std::tanh},
                                           {"asinh", std::asinh},
                                           {"acosh", std::acosh},
                                           {"atanh", std::atanh},
                                           {"exp", std::exp, Overflow::kIsRange},
                                           {"exp2", std::exp2, Overflow::kIsRange},
                                           {"expm1", std::expm1, Overflow::kIsRange},
                                           {"log1p", std::log1p},
                                           {"degrees", Degrees, Overflow::kIsRange},
                                           {"radians", Radians},
                                           {"fabs", std::fabs},
                                           {"erf", std::erf},
                                           {"erfc", std::erfc},
                                           {"gamma", Gamma, Overflow::kIsRange},
                                           {"lgamma", LogGamma, Overflow::kIsRange}};

template <double (*kLog)(double)>
Result<double> LogOf(const Number& number) {
  const Integer* whole = std::get_if<Integer>(&number);
  if (whole == nullptr) {
    double real = std::get<double>(number);
    if (real <= 0) return Invalid("math domain error");
    return kLog(real);
  }
  if (*whole <= 0) return Invalid("math domain error");
  std::size_t bits = BitsOf(*whole);
  if (bits > 1000) {  // as fraction and exponent, since it may be larger than any double
    ASSIGN_OR_RETURN(double top, ToDouble(Integer(*whole >> (bits - 64))));
    return kLog(std::ldexp(top, -64)) + kLog(2.0) * static_cast<double>(bits);
  }
  ASSIGN_OR_RETURN(double real, ToDouble(number));
  return kLog(real);
}

Status CheckNotNegative(const Integer& integer, const char* message) {
  if (integer < 0) return Invalid(message);
  return {};
}

}  // namespace

const RealFunction* FindRealFunction(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kRealFunctions), std::end(kRealFunctions),
                   [&](const RealFunction& function) { return function.name == name; });
  return found == std::end(kRealFunctions) ? nullptr : found;
}

Result<double> CheckReal(double result,
                         std::initializer_list<double> arguments,
                         Overflow overflow) {
  auto any = [&](auto test) { return std::any_of(arguments.begin(), arguments.end(), test); };
  if (std::isnan(result) && !any([](double x) { return std::isnan(x); }))
    return Invalid("math domain error");
  if (std::isinf(result) && !any([](double x) { return !std::isfinite(x); })) {
    // A power of zero is not too large but undefined.
    bool range = overflow == Overflow::kIsRange && *arguments.begin() != 0;
    return Invalid(range ? "math range error" : "math domain error");
  }
  return result;
}

Result<double> Log(const Number& number) {
  return LogOf<std::log>(number);
}

Result<double> Log2(const Number& number) {
  return LogOf<std::log2>(number);
}

Result<double> Log10(const Number& number) {
  return LogOf<std::log10>(number);
}

Result<Integer> Gcd(const Integer& a, const Integer& b) {
  return Integer(gcd(a, b));
}

Result<Integer> Lcm(const Integer& a, const Integer& b) {
  if (a == 0 || b == 0) return Integer(0);
  return Checked(abs(a) / gcd(a, b) * abs(b));
}

// The limit of a whole number's size ends these loops long before a large n does.
Result<Integer> Factorial(const Integer& n) {
  RETURN_IF_ERROR(CheckNotNegative(n, "factorial() not defined for negative values"));
  Integer product = 1;
  for (Integer factor = 2; factor <= n; ++factor) {
    ASSIGN_OR_RETURN(product, Checked(product * factor));
  }
  return product;
}

Result<Integer> WholeRoot(const Integer& n) {
  RETURN_IF_ERROR(CheckNotNegative(n, "isqrt() argument must be nonnegative"));
  return Integer(sqrt(n));
}

Result<Integer> Combinations(const Integer& n, const Integer& k) {
  RETURN_IF_ERROR(CheckNotNegative(n, "n must be a non-negative integer"));
  RETURN_IF_ERROR(CheckNotNegative(k, "k must be a non-negative integer"));
  if (k > n) return Integer(0);
  Integer steps = std::min(k, Integer(n - k));
  Integer product = 1;
  for (Integer i = 1; i <= steps; ++i) {
    ASSIGN_OR_RETURN(product, Checked(product * (n - steps + i) / i));
  }
  return product;
}

Result<Integer> Permutations(const Integer& n, const Integer& k) {
  RETURN_IF_ERROR(CheckNotNegative(n, "n must be a non-negative integer"));
  RETURN_IF_ERROR(CheckNotNegative(k, "k must be a non-negative integer"));
  if (k > n) return Integer(0);
  Integer product = 1;
  for (Integer i = 0; i < k; ++i) {
    ASSIGN_OR_RETURN(product, Checked(product * (n - i)));
  }
  return product;
}

// Shewchuk's partial sums: `parts` add up to the exact total without overlapping.
double ExactSum(const std::vector<double>& numbers) {
  std::vector<double> parts;
  for (double number : numbers) {
    std::size_t kept = 0;
    for (double part : parts) {
      if (std::abs(number) < std::abs(part)) std::swap(number, part);
      double high = number + part;
      double low = part - (high - number);
      if (low != 0) parts[kept++] = low;
      number = high;
    }
    parts.resize(kept);
    parts.push_back(number);
  }
  double total = 0;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) total += *part;
  return total;
}

}  // namespace viv::engine::functions
