#include "engine/functions/calculator_functions.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "engine/functions/calculator_math.h"
#include "engine/functions/function.h"

namespace viv::engine::functions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Result<Operand> ToOperand(Result<Number> number) {
  if (!number) return PassUp(std::move(number).error());
  return Operand{*std::move(number)};
}

Result<Operand> ToOperand(Result<Integer> integer) {
  if (!integer) return PassUp(std::move(integer).error());
  return Operand{Number(*std::move(integer))};
}

Result<Number> NumberArgument(const Operand& operand) {
  std::optional<Number> number = NumberOf(operand);
  if (number) return *std::move(number);
  return Invalid("must be real number, not " + std::string(TypeName(operand)));
}

Result<double> RealArgument(const Operand& operand) {
  ASSIGN_OR_RETURN(Number number, NumberArgument(operand));
  return ToDouble(number);
}

Result<Integer> WholeArgument(const Operand& operand) {
  std::optional<Number> number = NumberOf(operand);
  const Integer* integer = number ? std::get_if<Integer>(&*number) : nullptr;
  if (integer != nullptr) return *integer;
  return Invalid(fmt::format("'{}' object cannot be interpreted as an integer", TypeName(operand)));
}

Result<const Operands*> ItemsArgument(const Operand& operand) {
  if (const auto* sequence = std::get_if<Sequence>(&operand.value)) return &sequence->items;
  return Invalid(fmt::format("'{}' object is not iterable", TypeName(operand)));
}

// A list's numbers, or the arguments' own, as doubles.
Result<std::vector<double>> Reals(const Operands& operands) {
  std::vector<double> reals;
  for (const Operand& operand : operands) {
    ASSIGN_OR_RETURN(double real, RealArgument(operand));
    reals.push_back(real);
  }
  return reals;
}

Result<Operand> Absolute(const Operands& arguments) {
  std::optional<Number> number = NumberOf(arguments[0]);
  if (!number)
    return Invalid(fmt::format("bad operand type for abs(): '{}'", TypeName(arguments[0])));
  if (const double* real = std::get_if<double>(&*number)) return Operand{Number(std::abs(*real))};
  return Operand{Number(Integer(abs(std::get<Integer>(*number))))};
}

Result<Operand> Round(const Operands& arguments) {
  ASSIGN_OR_RETURN(Number number, NumberArgument(arguments[0]));
  if (arguments.size() == 1) return ToOperand(Rounded(number));
  ASSIGN_OR_RETURN(Integer digits, WholeArgument(arguments[1]));
  Integer bounded = std::min(Integer(100000), std::max(Integer(-100000), digits));
  return ToOperand(RoundedTo(number, static_cast<std::int64_t>(bounded)));
}

enum class Extreme { kLeast, kGreatest };

Result<Operand> Pick(const Operands& arguments, Extreme extreme) {
  const Operands* items = &arguments;
  std::string name = extreme == Extreme::kLeast ? "min" : "max";
  if (arguments.size() == 1) {
    ASSIGN_OR_RETURN(items, ItemsArgument(arguments[0]));
    if (items->empty()) return Invalid(name + "() arg is an empty sequence");
  }
  const Operand* best = nullptr;
  for (const Operand& item : *items) {
    ASSIGN_OR_RETURN(Number number, NumberArgument(item));
    if (best != nullptr) {
      std::partial_ordering order = Compare(number, *NumberOf(*best));
      if (extreme == Extreme::kLeast ? !(order < 0) : !(order > 0)) continue;
    }
    best = &item;
  }
  return *best;
}

Result<Operand> Least(const Operands& arguments) {
  return Pick(arguments, Extreme::kLeast);
}

Result<Operand> Greatest(const Operands& arguments) {
  return Pick(arguments, Extreme::kGreatest);
}

Result<Operand> Fold(const Operands& arguments,
                     Number value,
                     Result<Number> (*step)(const Number&, const Number&)) {
  ASSIGN_OR_RETURN(const Operands* items, ItemsArgument(arguments[0]));
  if (arguments.size() > 1) {
    ASSIGN_OR_RETURN(value, NumberArgument(arguments[1]));
  }
  for (const Operand& item : *items) {
    ASSIGN_OR_RETURN(Number number, NumberArgument(item));
    ASSIGN_OR_RETURN(value, step(value, number));
  }
  return Operand{std::move(value)};
}

Result<Operand> Total(const Operands& arguments) {
  return Fold(arguments, Integer(0), Add);
}

Result<Operand> Product(const Operands& arguments) {
  return Fold(arguments, Integer(1), Multiply);
}

Result<Operand> ExactTotal(const Operands& arguments) {
  ASSIGN_OR_RETURN(const Operands* items, ItemsArgument(arguments[0]));
  ASSIGN_OR_RETURN(std::vector<double> reals, Reals(*items));
  return Operand{Number(ExactSum(reals))};
}

Result<Operand> ToInt(const Operands& arguments) {
  ASSIGN_OR_RETURN(Number number, NumberArgument(arguments[0]));
  if (const double* real = std::get_if<double>(&number)) return ToOperand(Truncated(*real));
  return Operand{std::move(number)};
}

Result<Operand> ToFloat(const Operands& arguments) {
  ASSIGN_OR_RETURN(double real, RealArgument(arguments[0]));
  return Operand{Number(real)};
}

Result<Operand> Length(const Operands& arguments) {
  ASSIGN_OR_RETURN(const Operands* items, ItemsArgument(arguments[0]));
  return Operand{Number(Integer(items->size()))};
}

// floor, ceil and trunc, which leave whole numbers as they are.
template <double (*kDirection)(double)>
Result<Operand> ToWhole(const Operands& arguments) {
  ASSIGN_OR_RETURN(Number number, NumberArgument(arguments[0]));
  if (const double* real = std::get_if<double>(&number))
    return ToOperand(Truncated(kDirection(*real)));
  return Operand{std::move(number)};
}

Result<Operand> Logarithm(const Operands& arguments) {
  ASSIGN_OR_RETURN(Number number, NumberArgument(arguments[0]));
  ASSIGN_OR_RETURN(double log, Log(number));
  if (arguments.size() == 1) return Operand{Number(log)};
  ASSIGN_OR_RETURN(Number base, NumberArgument(arguments[1]));
  ASSIGN_OR_RETURN(double log_of_base, Log(base));
  return ToOperand(TrueDivide(log, log_of_base));
}

template <Result<double> (*kLog)(const Number&)>
Result<Operand> LogarithmTo(const Operands& arguments) {
  ASSIGN_OR_RETURN(Number number, NumberArgument(arguments[0]));
  ASSIGN_OR_RETURN(double log, kLog(number));
  return Operand{Number(log)};
}

template <Result<Integer> (*kStep)(const Integer&, const Integer&), int kStart>
Result<Operand> FoldWhole(const Operands& arguments) {
  Integer value = kStart;
  for (const Operand& argument : arguments) {
    ASSIGN_OR_RETURN(Integer integer, WholeArgument(argument));
    ASSIGN_OR_RETURN(value, kStep(value, integer));
  }
  return Operand{Number(std::move(value))};
}

template <Result<Integer> (*kFunction)(const Integer&)>
Result<Operand> OneWhole(const Operands& arguments) {
  ASSIGN_OR_RETURN(Integer integer, WholeArgument(arguments[0]));
  return ToOperand(kFunction(integer));
}

template <Result<Integer> (*kFunction)(const Integer&, const Integer&)>
Result<Operand> TwoWhole(const Operands& arguments) {
  ASSIGN_OR_RETURN(Integer a, WholeArgument(arguments[0]));
  ASSIGN_OR_RETURN(Integer b, WholeArgument(arguments.back()));  // perm(n) is perm(n, n)
  return ToOperand(kFunction(a, b));
}

template <double (*kFunction)(double, double)>
Result<Operand> TwoReals(const Operands& arguments) {
  ASSIGN_OR_RETURN(double a, RealArgument(arguments[0]));
  ASSIGN_OR_RETURN(double b, RealArgument(arguments[1]));
  ASSIGN_OR_RETURN(double result, CheckReal(kFunction(a, b), {a, b}, Overflow::kIsRange));
  return Operand{Number(result)};
}

Result<Operand> Hypotenuse(const Operands& arguments) {
  ASSIGN_OR_RETURN(std::vector<double> reals, Reals(arguments));
  double length = 0;
  for (double real : reals) length = std::hypot(length, real);
  return Operand{Number(length)};
}

Result<Operand> Distance(const Operands& arguments) {
  ASSIGN_OR_RETURN(const Operands* from, ItemsArgument(arguments[0]));
  ASSIGN_OR_RETURN(const Operands* to, ItemsArgument(arguments[1]));
  if (from->size() != to->size()) {
    return Invalid("both points must have the same number of dimensions");
  }
  ASSIGN_OR_RETURN(std::vector<double> a, Reals(*from));
  ASSIGN_OR_RETURN(std::vector<double> b, Reals(*to));
  double length = 0;
  for (std::size_t i = 0; i < a.size(); ++i) length = std::hypot(length, a[i] - b[i]);
  return Operand{Number(length)};
}

template <bool (*kTest)(double)>
Result<Operand> Test(const Operands& arguments) {
  ASSIGN_OR_RETURN(double real, RealArgument(arguments[0]));
  return Operand{kTest(real)};
}

struct Named {
  std::size_t arguments_min;
  std::size_t arguments_max;
  Result<Operand> (*call)(const Operands&);
  bool builtin = false;
};

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

const std::map<std::string_view, Named>& Functions() {
  static const std::map<std::string_view, Named> kFunctions = {
      {"abs", {1, 1, Absolute, true}},
      {"round", {1, 2, Round, true}},
      {"min", {1, kAny, Least, true}},
      {"max", {1, kAny, Greatest, true}},
      {"sum", {1, 2, Total, true}},
      {"int", {1, 1, ToInt, true}},
      {"float", {1, 1, ToFloat, true}},
      {"len", {1, 1, Length, true}},
      {"prod", {1, 1, Product}},
      {"fsum", {1, 1, ExactTotal}},
      {"floor", {1, 1, ToWhole<std::floor>}},
      {"ceil", {1, 1, ToWhole<std::ceil>}},
      {"trunc", {1, 1, ToWhole<std::trunc>}},
      {"log", {1, 2, Logarithm}},
      {"log2", {1, 1, LogarithmTo<Log2>}},
      {"log10", {1, 1, LogarithmTo<Log10>}},
      {"gcd", {0, kAny, FoldWhole<Gcd, 0>}},
      {"lcm", {0, kAny, FoldWhole<Lcm, 1>}},
      {"factorial", {1, 1, OneWhole<Factorial>}},
      {"isqrt", {1, 1, OneWhole<WholeRoot>}},
      {"comb", {2, 2, TwoWhole<Combinations>}},
      {"perm", {1, 2, TwoWhole<Permutations>}},
      {"pow", {2, 2, TwoReals<std::pow>}},
      {"atan2", {2, 2, TwoReals<std::atan2>}},
      {"fmod", {2, 2, TwoReals<std::fmod>}},
      {"remainder", {2, 2, TwoReals<std::remainder>}},
      {"copysign", {2, 2, TwoReals<std::copysign>}},
      {"hypot", {0, kAny, Hypotenuse}},
      {"dist", {2, 2, Distance}},
      {"isnan", {1, 1, Test<std::isnan>}},
      {"isinf", {1, 1, Test<std::isinf>}},
      {"isfinite", {1, 1, Test<std::isfinite>}}};
  return kFunctions;
}

Status CheckCount(std::string_view name, const Named& function, std::size_t count) {
  if (count >= function.arguments_min && count <= function.arguments_max) return {};
  bool too_few = count < function.arguments_min;
  std::string bound = function.arguments_min == function.arguments_max ? ""
                      : too_few                                        ? "at least "
                                                                       : "at most ";
  std::size_t expected = too_few ? function.arguments_min : function.arguments_max;
  return Invalid(fmt::format("{} expected {}{} argument{}, got {}", name, bound, expected,
                             expected == 1 ? "" : "s", count));
}

}  // namespace

std::string OperandText(const Operand& operand) {
  if (const bool* truth = std::get_if<bool>(&operand.value)) return *truth ? "True" : "False";
  if (const auto* number = std::get_if<Number>(&operand.value)) return NumberText(*number);
  const auto& sequence = std::get<Sequence>(operand.value);
  bool tuple = sequence.kind == Sequence::Kind::kTuple;
  std::string out = tuple ? "(" : "[";
  for (std::size_t i = 0; i < sequence.items.size(); ++i) {
    if (i > 0) out += ", ";
    out += OperandText(sequence.items[i]);
  }
  if (tuple && sequence.items.size() == 1) out += ',';
  return out + (tuple ? ")" : "]");
}

std::string_view TypeName(const Operand& operand) {
  if (std::holds_alternative<bool>(operand.value)) return "bool";
  if (const auto* number = std::get_if<Number>(&operand.value)) {
    return std::holds_alternative<double>(*number) ? "float" : "int";
  }
  return std::get<Sequence>(operand.value).kind == Sequence::Kind::kList ? "list" : "tuple";
}

std::optional<Number> NumberOf(const Operand& operand) {
  if (const bool* truth = std::get_if<bool>(&operand.value)) return Number(Integer(*truth ? 1 : 0));
  if (const auto* number = std::get_if<Number>(&operand.value)) return *number;
  return std::nullopt;
}

std::optional<Operand> FindConstant(std::string_view name) {
  if (name == "pi") return Operand{Number(std::numbers::pi)};
  if (name == "e") return Operand{Number(std::numbers::e)};
  if (name == "tau") return Operand{Number(2 * std::numbers::pi)};
  if (name == "inf") return Operand{Number(kInfinity)};
  if (name == "nan") return Operand{Number(std::numeric_limits<double>::quiet_NaN())};
  if (name == "True" || name == "False") return Operand{name == "True"};
  return std::nullopt;
}

bool HasFunction(std::string_view name) {
  return Functions().contains(name) || FindRealFunction(name) != nullptr;
}

bool IsBuiltin(std::string_view name) {
  auto found = Functions().find(name);
  return found != Functions().end() && found->second.builtin;
}

Result<Operand> CallFunction(std::string_view name, const Operands& arguments) {
  if (const RealFunction* function = FindRealFunction(name)) {
    if (arguments.size() != 1) {
      return Invalid(
          fmt::format("math.{}() takes exactly one argument ({} given)", name, arguments.size()));
    }
    ASSIGN_OR_RETURN(double real, RealArgument(arguments[0]));
    ASSIGN_OR_RETURN(double result, CheckReal(function->call(real), {real}, function->overflow));
    return Operand{Number(result)};
  }
  const Named& function = Functions().at(name);
  RETURN_IF_ERROR(CheckCount(name, function, arguments.size()));
  return function.call(arguments);
}

}  // namespace viv::engine::functions
