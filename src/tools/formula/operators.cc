// The operators, the calling of functions, and how both repeat themselves over arrays.

#include <cmath>

#include "base/text.h"
#include "tools/formula/call.h"
#include "tools/formula/convert.h"
#include "tools/formula/evaluator.h"

namespace viv::formula {
namespace {

bool IsMany(const Operand& operand) {
  if (const auto* array = std::get_if<Array>(&operand)) return array->cells.size() != 1;
  const auto* reference = std::get_if<Reference>(&operand);
  return reference && (reference->size() != 1 || !(*reference)[0].IsCell());
}

Value Finite(double number) {
  if (!std::isfinite(number)) return ErrorKind::kNumber;
  return number;
}

Value CompareBy(std::string_view op, const Value& left, const Value& right) {
  int order = Compare(left, right);
  if (op == "=") return order == 0;
  if (op == "<>") return order != 0;
  if (op == "<") return order < 0;
  if (op == ">") return order > 0;
  return op == "<=" ? order <= 0 : order >= 0;
}

Value PowerOf(double base, double exponent) {
  if (base == 0 && exponent == 0) return 1.0;
  if (base == 0 && exponent < 0) return ErrorKind::kDivideByZero;
  return Finite(std::pow(base, exponent));
}

// Sums that come out as next to nothing of their terms are nothing: 0.1+0.2-0.3 is 0.
double NearZero(double sum, double left, double right) {
  return std::fabs(sum) < std::max(std::fabs(left), std::fabs(right)) * 1e-15 ? 0 : sum;
}

// The value of an array at a place, where a single row or column stands for all of them.
const Value& Spread(const Array& array, int row, int column) {
  static const Value kOutside = ErrorKind::kNotAvailable;
  int r = array.rows == 1 ? 0 : row, c = array.columns == 1 ? 0 : column;
  return r < array.rows && c < array.columns ? array.At(r, c) : kOutside;
}

Operand CalculateEach(Evaluator& evaluator,
                      std::string_view op,
                      const Operand& left,
                      const Operand& right) {
  Array a = evaluator.ToArray(left), b = evaluator.ToArray(right);
  int rows = std::max(a.rows, b.rows), columns = std::max(a.columns, b.columns);
  std::int64_t size = static_cast<std::int64_t>(rows) * columns;
  if (size > kArrayCellsMax || !evaluator.Charge(size)) return Value(ErrorKind::kNumber);
  Array out(rows, columns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      out.At(row, column) = Calculate(op, Spread(a, row, column), Spread(b, row, column));
  return out;
}

// The letter of `parameters` for argument i: "VR|RV" gives V, R, then R, V, R, V, …
char ParameterOf(std::string_view parameters, int i) {
  std::size_t bar = parameters.find('|');
  std::size_t index = static_cast<std::size_t>(i);
  if (bar == std::string_view::npos)
    return index < parameters.size() ? parameters[index] : parameters.back();
  if (index < bar) return parameters[index];
  std::size_t group = parameters.size() - bar - 1;
  return parameters[bar + 1 + (index - bar) % group];
}

Operand Finish(Call& call, Operand result) {
  if (call.error()) return Value(*call.error());
  auto* value = std::get_if<Value>(&result);
  if (!value) return result;
  if (const auto* number = std::get_if<double>(value); number && !std::isfinite(*number))
    return Value(ErrorKind::kNumber);
  const auto* text = std::get_if<std::string>(value);
  if (text && text->size() > kTextBytesMax) return Value(ErrorKind::kValue);
  return result;
}

// Repeats the call for each value of those arguments that should be one value and are many.
Operand RunEach(Evaluator& evaluator,
                const Function& function,
                Call& call,
                const std::vector<bool>& spread) {
  std::vector<Array> arrays(call.arguments.size());
  int rows = 1, columns = 1;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!spread[i]) continue;
    arrays[i] = evaluator.ToArray(call.arguments[i]);
    rows = std::max(rows, arrays[i].rows);
    columns = std::max(columns, arrays[i].columns);
  }
  std::int64_t size = static_cast<std::int64_t>(rows) * columns;
  if (size > kArrayCellsMax || !evaluator.Charge(size)) return Value(ErrorKind::kNumber);
  Array out(rows, columns);
  Call one(evaluator, call.node(), call.scope());
  one.arguments = call.arguments;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      Call each(evaluator, call.node(), call.scope());
      each.arguments.swap(one.arguments);
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (spread[i]) each.arguments[i] = Spread(arrays[i], row, column);
      if (!evaluator.Charge(1)) return Value(ErrorKind::kNumber);
      out.At(row, column) = evaluator.First(Finish(each, function.run(each)));
      each.arguments.swap(one.arguments);
    }
  return out;
}

}  // namespace

Value Calculate(std::string_view op, const Value& left, const Value& right) {
  if (IsError(left)) return left;
  if (IsError(right)) return right;
  if (op == "&") {
    std::string text = ToText(left) + ToText(right);
    if (text.size() > kTextBytesMax) return ErrorKind::kValue;
    return text;
  }
  if (op[0] == '=' || op[0] == '<' || op[0] == '>') return CompareBy(op, left, right);
  tl::expected<double, ErrorKind> a = ToNumber(left), b = ToNumber(right);
  if (!a) return a.error();
  if (!b) return b.error();
  switch (op[0]) {
    case '+':
      return Finite(NearZero(*a + *b, *a, *b));
    case '-':
      return Finite(NearZero(*a - *b, *a, *b));
    case '*':
      return Finite(*a * *b);
    case '/':
      if (*b == 0) return ErrorKind::kDivideByZero;
      return Finite(*a / *b);
    default:
      return PowerOf(*a, *b);
  }
}

Operand Evaluator::RunChain(const Node& node, const Scope& scope) {
  Operand left = Run(*node.children[0], scope);
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    Operand right = Run(*node.children[i + 1], scope);
    if (halted()) return Value(ErrorKind::kNumber);
    const std::string& op = node.operators[i];
    if (scope.want == Want::kArray && (IsMany(left) || IsMany(right))) {
      left = CalculateEach(*this, op, left, right);
    } else {
      Value a = ToValue(left), b = ToValue(right);
      if (const auto* text = std::get_if<std::string>(&a))
        Charge(static_cast<std::int64_t>(text->size() / 64));
      left = Calculate(op, a, b);
    }
  }
  return left;
}

Operand Evaluator::RunPrefix(const Node& node, const Scope& scope) {
  Operand operand = Run(*node.children[0], scope);
  bool negative = false, any_minus = false;
  for (const std::string& op : node.operators) {
    if (op == "-") {
      negative = !negative;
      any_minus = true;
    }
    if (op == "@" && !halted()) operand = ToValue(operand);
  }
  if (!any_minus) return operand;
  Value factor = negative ? -1.0 : 1.0;
  if (scope.want == Want::kArray && IsMany(operand))
    return CalculateEach(*this, "*", operand, factor);
  return Calculate("*", ToValue(operand), factor);
}

Operand Evaluator::RunPercent(const Node& node, const Scope& scope) {
  Operand operand = Run(*node.children[0], scope);
  Value divisor = std::pow(100.0, static_cast<double>(node.operators.size()));
  if (scope.want == Want::kArray && IsMany(operand))
    return CalculateEach(*this, "/", operand, divisor);
  return Calculate("/", ToValue(operand), divisor);
}

Operand Evaluator::RunCall(const Node& node, const Scope& scope) {
  const Function* function = FindFunction(node.name);
  if (!function) return Value(ErrorKind::kName);
  int count = static_cast<int>(node.children.size());
  if (count < function->arguments_min || count > function->arguments_max)
    return Value(ErrorKind::kValue);
  Call call(*this, node, scope);
  if (function->parameters == "L") return Finish(call, function->run(call));
  std::vector<bool> spread(node.children.size(), false);
  bool spreads = false;
  for (int i = 0; i < count; ++i) {
    bool one_value = ParameterOf(function->parameters, i) == 'V';
    Operand argument = call.Compute(i, one_value ? scope.want : Want::kArray);
    if (halted()) return Value(ErrorKind::kNumber);
    if (one_value && scope.want == Want::kArray && IsMany(argument)) {
      spread[static_cast<std::size_t>(i)] = spreads = true;
    } else if (one_value && !std::holds_alternative<Missing>(argument)) {
      argument = ToValue(argument);
      if (halted()) return Value(ErrorKind::kNumber);
    }
    call.arguments.push_back(std::move(argument));
  }
  if (spreads) return RunEach(*this, *function, call, spread);
  return Finish(call, function->run(call));
}

}  // namespace viv::formula
