#pragma once
// Numbers as Python has them: whole ones of any size and floating-point ones, with Python's rules
// for mixing, dividing and rounding, and its words when something cannot be. Whole numbers end at
// 4300 digits, as they do for Python when it prints them.

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

// g++ 12 at -O3 takes the growing of a cpp_int for a copy beyond its end.
#pragma GCC diagnostic push
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
#include <boost/multiprecision/cpp_int.hpp>
#pragma GCC diagnostic pop

#include "base/result.h"

namespace viv::engine::functions {

using Integer = boost::multiprecision::cpp_int;
using Number = std::variant<Integer, double>;

constexpr std::size_t kIntegerBitsMax = 14284;  // 4300 decimal digits

Result<Number> Add(const Number& a, const Number& b);
Result<Number> Subtract(const Number& a, const Number& b);
Result<Number> Multiply(const Number& a, const Number& b);
Result<Number> TrueDivide(const Number& a, const Number& b);
Result<Number> FloorDivide(const Number& a, const Number& b);
Result<Number> Modulo(const Number& a, const Number& b);
Result<Number> Power(const Number& a, const Number& b);
Number Negate(const Number& number);
std::partial_ordering Compare(const Number& a, const Number& b);  // exact, also across kinds

Result<Integer> Checked(Integer integer);  // "result too large"
std::size_t BitsOf(const Integer& integer);
Result<double> ToDouble(const Number& number);  // rounded to nearest; fails beyond the range
Result<Integer> Truncated(double number);       // fails on inf and nan
Result<Integer> Rounded(const Number& number);  // to the nearest, ties to the even one
Result<Number> RoundedTo(const Number& number, std::int64_t digits);  // so many after the point
std::string NumberText(const Number& number);

}  // namespace viv::engine::functions
