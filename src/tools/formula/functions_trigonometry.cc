// Angles: circular and hyperbolic functions with their inverses.

#include <array>
#include <cmath>
#include <numbers>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

// 1/x, for the functions that are another one turned over.
Operand Inverted(double number) {
  return number == 0 ? Err(ErrorKind::kDivideByZero) : Num(1 / number);
}

const std::array kTrigonometryTable = {
    Function{"SIN", "V", 1, 1, [](Call& c) { return Num(std::sin(c.Number(0))); }},
    Function{"COS", "V", 1, 1, [](Call& c) { return Num(std::cos(c.Number(0))); }},
    Function{"TAN", "V", 1, 1, [](Call& c) { return Num(std::tan(c.Number(0))); }},
    Function{"COT", "V", 1, 1, [](Call& c) { return Inverted(std::tan(c.Number(0))); }},
    Function{"SEC", "V", 1, 1, [](Call& c) { return Inverted(std::cos(c.Number(0))); }},
    Function{"CSC", "V", 1, 1, [](Call& c) { return Inverted(std::sin(c.Number(0))); }},
    Function{"ASIN", "V", 1, 1, [](Call& c) { return Num(std::asin(c.Number(0))); }},
    Function{"ACOS", "V", 1, 1, [](Call& c) { return Num(std::acos(c.Number(0))); }},
    Function{"ATAN", "V", 1, 1, [](Call& c) { return Num(std::atan(c.Number(0))); }},
    Function{"ACOT", "V", 1, 1,
             [](Call& c) { return Num(std::numbers::pi / 2 - std::atan(c.Number(0))); }},
    Function{"ATAN2", "V", 2, 2,
             [](Call& c) {
               double x = c.Number(0), y = c.Number(1);
               return x == 0 && y == 0 ? Err(ErrorKind::kDivideByZero) : Num(std::atan2(y, x));
             }},
    Function{"SINH", "V", 1, 1, [](Call& c) { return Num(std::sinh(c.Number(0))); }},
    Function{"COSH", "V", 1, 1, [](Call& c) { return Num(std::cosh(c.Number(0))); }},
    Function{"TANH", "V", 1, 1, [](Call& c) { return Num(std::tanh(c.Number(0))); }},
    Function{"COTH", "V", 1, 1, [](Call& c) { return Inverted(std::tanh(c.Number(0))); }},
    Function{"SECH", "V", 1, 1, [](Call& c) { return Inverted(std::cosh(c.Number(0))); }},
    Function{"CSCH", "V", 1, 1, [](Call& c) { return Inverted(std::sinh(c.Number(0))); }},
    Function{"ASINH", "V", 1, 1, [](Call& c) { return Num(std::asinh(c.Number(0))); }},
    Function{"ACOSH", "V", 1, 1, [](Call& c) { return Num(std::acosh(c.Number(0))); }},
    Function{"ATANH", "V", 1, 1, [](Call& c) { return Num(std::atanh(c.Number(0))); }},
    Function{"ACOTH", "V", 1, 1, [](Call& c) { return Num(std::atanh(1 / c.Number(0))); }},
    Function{"DEGREES", "V", 1, 1,
             [](Call& c) { return Num(c.Number(0) / std::numbers::pi * 180); }},
    Function{"RADIANS", "V", 1, 1,
             [](Call& c) { return Num(c.Number(0) / 180 * std::numbers::pi); }},
};

}  // namespace

FunctionList TrigonometryFunctions() {
  return kTrigonometryTable;
}

}  // namespace viv::formula
