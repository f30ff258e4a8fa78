#include "engine/functions/calculator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/functions/calculator_functions.h"
#include "engine/functions/calculator_lexer.h"
#include "engine/functions/function.h"

namespace viv::engine::functions {
namespace {

constexpr int kDepthMax = 200;  // a pair of parentheses costs two

Operand Of(Number number) {
  return Operand{std::move(number)};
}

struct Operation {
  std::string_view sign;
  Result<Number> (*apply)(const Number&, const Number&);
};
constexpr Operation kOperations[] = {{"+", Add},        {"-", Subtract},     {"*", Multiply},
                                     {"/", TrueDivide}, {"//", FloorDivide}, {"%", Modulo},
                                     {"**", Power}};

Result<Operand> Apply(std::string_view sign, const Operand& a, const Operand& b) {
  std::optional<Number> x = NumberOf(a);
  std::optional<Number> y = NumberOf(b);
  if (!x || !y) {
    return Invalid(fmt::format("unsupported operand type(s) for {}: '{}' and '{}'",
                               sign == "**" ? "** or pow()" : sign, TypeName(a), TypeName(b)));
  }
  for (const Operation& operation : kOperations) {
    if (operation.sign != sign) continue;
    ASSIGN_OR_RETURN(Number result, operation.apply(*x, *y));
    return Of(std::move(result));
  }
  return Invalid("invalid syntax");
}

Result<bool> Holds(std::string_view sign, const Operand& a, const Operand& b) {
  std::optional<Number> x = NumberOf(a);
  std::optional<Number> y = NumberOf(b);
  if (!x || !y) {
    return Invalid(fmt::format("'{}' not supported between instances of '{}' and '{}'", sign,
                               TypeName(a), TypeName(b)));
  }
  std::partial_ordering order = Compare(*x, *y);
  if (sign == "<") return order < 0;
  if (sign == ">") return order > 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">=") return order >= 0;
  return sign == "==" ? order == 0 : order != 0;
}

Result<Operand> ApplyUnary(std::string_view sign, const Operand& operand) {
  std::optional<Number> number = NumberOf(operand);
  if (!number) {
    return Invalid(fmt::format("bad operand type for unary {}: '{}'", sign, TypeName(operand)));
  }
  return Of(sign == "-" ? Negate(*number) : *std::move(number));
}

// Reads and evaluates in one pass, by recursive descent. Syntax errors are Result errors and end
// the reading. An error of evaluation waits, with 0 in place of the value, until the syntax of the
// rest is known to be right: Python reads all before it evaluates.
class Evaluator {
 public:
  explicit Evaluator(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Operand> Run() {
    ASSIGN_OR_RETURN(Operand operand, TupleOrComparison());
    if (Peek().kind != Token::Kind::kEnd) return Syntax();
    if (failure_) return PassUp(*failure_);
    return operand;
  }

 private:
  const Token& Peek() const { return tokens_[at_]; }
  const Token& PeekNext() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool IsSign(std::string_view sign) const {
    return Peek().kind == Token::Kind::kSign && Peek().text == sign;
  }
  bool Take(std::string_view sign) {
    bool is = IsSign(sign);
    if (is) ++at_;
    return is;
  }
  // The sign here, if it is one of these; it is taken.
  template <std::size_t kCount>
  std::string_view TakeAny(const std::array<std::string_view, kCount>& signs) {
    for (std::string_view sign : signs) {
      if (Take(sign)) return sign;
    }
    return {};
  }

  static tl::unexpected<Error> Syntax() { return Invalid("invalid syntax"); }

  // The value, or 0 with the first error kept for later.
  template <typename Evaluate>
  Operand Value(Evaluate evaluate) {
    if (failure_) return Of(Integer(0));
    Result<Operand> operand = evaluate();
    if (operand) return *std::move(operand);
    failure_ = std::move(operand).error();
    return Of(Integer(0));
  }

  Result<Operand> TupleOrComparison() {
    ASSIGN_OR_RETURN(Operand first, Comparison());
    if (!IsSign(",")) return first;
    Sequence tuple{Sequence::Kind::kTuple, {std::move(first)}};
    while (Take(",")) {
      if (Peek().kind == Token::Kind::kEnd || IsSign(")")) break;
      ASSIGN_OR_RETURN(Operand next, Comparison());
      tuple.items.push_back(std::move(next));
    }
    return Operand{std::move(tuple)};
  }

  // a < b < c holds when both do.
  Result<Operand> Comparison() {
    static constexpr std::array<std::string_view, 6> kSigns = {"<", ">", "<=", ">=", "==", "!="};
    if (++depth_ > kDepthMax) return Invalid("too many nested parentheses");
    ASSIGN_OR_RETURN(Operand left, Sum());
    std::optional<bool> all;
    for (std::string_view sign = TakeAny(kSigns); !sign.empty(); sign = TakeAny(kSigns)) {
      ASSIGN_OR_RETURN(Operand right, Sum());
      Operand holds = Value([&]() -> Result<Operand> {
        if (all && !*all) return Operand{false};
        ASSIGN_OR_RETURN(bool result, Holds(sign, left, right));
        return Operand{result};
      });
      const bool* result = std::get_if<bool>(&holds.value);
      all = result != nullptr && *result;
      left = std::move(right);
    }
    --depth_;
    if (all) return Operand{*all};
    return left;
  }

  Result<Operand> Sum() {
    static constexpr std::array<std::string_view, 2> kSigns = {"+", "-"};
    ASSIGN_OR_RETURN(Operand left, Term());
    for (std::string_view sign = TakeAny(kSigns); !sign.empty(); sign = TakeAny(kSigns)) {
      ASSIGN_OR_RETURN(Operand right, Term());
      left = Value([&] { return Apply(sign, left, right); });
    }
    return left;
  }

  Result<Operand> Term() {
    static constexpr std::array<std::string_view, 4> kSigns = {"*", "/", "//", "%"};
    ASSIGN_OR_RETURN(Operand left, Unary());
    for (std::string_view sign = TakeAny(kSigns); !sign.empty(); sign = TakeAny(kSigns)) {
      ASSIGN_OR_RETURN(Operand right, Unary());
      left = Value([&] { return Apply(sign, left, right); });
    }
    return left;
  }

  // -2 ** 2 is -(2 ** 2), and 2 ** -1 is 2 ** (-1).
  Result<Operand> Unary() {
    static constexpr std::array<std::string_view, 2> kSigns = {"+", "-"};
    if (++depth_ > kDepthMax) return Invalid("too many nested parentheses");
    std::string_view sign = TakeAny(kSigns);
    Result<Operand> operand = sign.empty() ? PowerOf() : Unary();
    --depth_;
    if (!operand || sign.empty()) return operand;
    return Value([&] { return ApplyUnary(sign, *operand); });
  }

  Result<Operand> PowerOf() {
    ASSIGN_OR_RETURN(Operand base, Primary());
    if (!Take("**")) return base;
    ASSIGN_OR_RETURN(Operand exponent, Unary());
    return Value([&] { return Apply("**", base, exponent); });
  }

  Result<Operand> Primary() {
    ASSIGN_OR_RETURN(Operand operand, Atom());
    while (Take("(")) {  // pi(2), (1)(2): well formed, and wrong
      ASSIGN_OR_RETURN(Operands arguments, Items(")"));
      std::string type(TypeName(operand));
      operand = Value([&]() -> Result<Operand> {
        return Invalid(fmt::format("'{}' object is not callable", type));
      });
    }
    return operand;
  }

  Result<Operand> Atom() {
    const Token& token = Peek();
    if (token.kind == Token::Kind::kNumber) {
      ++at_;
      return Of(token.number);
    }
    if (token.kind == Token::Kind::kName) return Named();
    if (Take("[")) {
      ASSIGN_OR_RETURN(Operands items, Items("]"));
      return Operand{Sequence{Sequence::Kind::kList, std::move(items)}};
    }
    if (!Take("(")) return Syntax();
    if (Take(")")) return Operand{Sequence{Sequence::Kind::kTuple, {}}};
    ASSIGN_OR_RETURN(Operand inner, TupleOrComparison());
    if (!Take(")")) return Syntax();
    return inner;
  }

  // Comma-separated expressions up to `end`, which is taken.
  Result<Operands> Items(std::string_view end) {
    Operands items;
    while (!Take(end)) {
      ASSIGN_OR_RETURN(Operand item, Comparison());
      items.push_back(std::move(item));
      if (!IsSign(end) && !Take(",")) return Syntax();
    }
    return items;
  }

  // name, math.name, name(…), math.name(…)
  Result<Operand> Named() {
    std::string name = Peek().text;
    ++at_;
    bool of_math = name == "math" && IsSign(".");
    if (of_math) {
      ++at_;
      if (Peek().kind != Token::Kind::kName) return Syntax();
      name = Peek().text;
      ++at_;
    }
    bool function = HasFunction(name) && !(of_math && IsBuiltin(name));
    if (function && Take("(")) {
      ASSIGN_OR_RETURN(Operands arguments, Items(")"));
      return Value([&] { return CallFunction(name, arguments); });
    }
    return Value([&]() -> Result<Operand> {
      if (function) return Invalid("unsupported operation: '" + name + "' is a function");
      std::optional<Operand> constant = FindConstant(name);
      if (constant) return *std::move(constant);
      if (of_math) return Invalid(fmt::format("module 'math' has no attribute '{}'", name));
      return Invalid(fmt::format("name '{}' is not defined", name));
    });
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::string> Calculate(std::string_view expression) {
  if (expression.size() > kExpressionBytesMax)
    return Fail(ErrorCode::kLimitExceeded, "the expression is too long");
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(expression));
  ASSIGN_OR_RETURN(Operand operand, Evaluator(std::move(tokens)).Run());
  return OperandText(operand);
}

}  // namespace viv::engine::functions
