#pragma once
// The mathematics behind the calculator's functions, on plain numbers, with the errors of Python's
// math module.

#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/functions/number.h"

namespace viv::engine::functions {

enum class Overflow { kIsRange, kIsDomain };  // what an infinite result of finite arguments means

// A function of one real number: sqrt, sin, exp and so on.
struct RealFunction {
  std::string_view name;
  double (*call)(double);
  Overflow overflow = Overflow::kIsDomain;
};

const RealFunction* FindRealFunction(std::string_view name);  // nullptr when there is none

// The result, unless it shows that the arguments were wrong: "math domain error", "math range
// error".
Result<double> CheckReal(double result, std::initializer_list<double> arguments, Overflow overflow);

// Logarithms, also of whole numbers that no double can hold.
Result<double> Log(const Number& number);
Result<double> Log2(const Number& number);
Result<double> Log10(const Number& number);

Result<Integer> Gcd(const Integer& a, const Integer& b);
Result<Integer> Lcm(const Integer& a, const Integer& b);
Result<Integer> Factorial(const Integer& n);
Result<Integer> WholeRoot(const Integer& n);  // the square root, rounded down
Result<Integer> Combinations(const Integer& n, const Integer& k);
Result<Integer> Permutations(const Integer& n, const Integer& k);

double ExactSum(const std::vector<double>& numbers);  // rounded once, at the end

}  // namespace viv::engine::functions
