#include <string>
#include <utility>

#include "engine/functions/calculator.h"
#include "engine/functions/sql_for_test.h"

namespace viv::engine::functions {
namespace {

std::string Answer(const std::string& expression) {
  Result<std::string> answer = Calculate(expression);
  return answer ? *answer : "error: " + answer.error().message;
}

struct Case {
  const char* expression;
  const char* answer;
};

void CheckCases(std::initializer_list<Case> cases) {
  for (const Case& one : cases) EXPECT_EQ(Answer(one.expression), one.answer) << one.expression;
}

TEST(CalculateTest, ComputesAsPythonDoes) {
  CheckCases({{"1 + 2 * 3", "7"},
              {"(1 + 2) * 3", "9"},
              {"6 / 3", "2.0"},
              {"7 // 2", "3"},
              {"-7 // 2", "-4"},
              {"-7 % 3", "2"},
              {"7.5 % -2", "-0.5"},
              {"-7 // 2.0", "-4.0"},
              {"2 ** 10", "1024"},
              {"-2 ** 2", "-4"},
              {"2 ** -1", "0.5"},
              {"2 ** 3 ** 2", "512"},
              {"0.1 + 0.2", "0.30000000000000004"},
              {"1e16", "1e+16"},
              {"100 * 1.1", "110.00000000000001"},
              {"--5", "5"},
              {"10 ** 20", "100000000000000000000"},
              {"1 / 3", "0.3333333333333333"},
              {"0x1f + 0b11 + 0o7", "41"},
              {"1_000", "1000"},
              {".5 + 5.", "5.5"},
              {"1e400", "inf"},
              {"1e-400", "0.0"},
              {"10 ** 400 / 10 ** 399", "10.0"}});
}

TEST(CalculateTest, ComparesAndChains) {
  CheckCases({{"1 < 2", "True"},
              {"1 < 2 < 2", "False"},
              {"1 == 1.0", "True"},
              {"3 != 3", "False"},
              {"2 >= 2 <= 3", "True"},
              {"True + 1", "2"},
              {"10 ** 17 + 1 == 1e17", "False"},
              {"nan == nan", "False"}});
}

TEST(CalculateTest, KnowsTheMathModule) {
  CheckCases({{"sqrt(16)", "4.0"},
              {"math.sqrt(2)", "1.4142135623730951"},
              {"pi", "3.141592653589793"},
              {"math.tau", "6.283185307179586"},
              {"sin(pi / 2)", "1.0"},
              {"log(8, 2)", "3.0"},
              {"log10(10 ** 400)", "400.0"},
              {"log2(8)", "3.0"},
              {"factorial(25)", "15511210043330985984000000"},
              {"floor(-2.5)", "-3"},
              {"ceil(2.1)", "3"},
              {"gcd(12, 18)", "6"},
              {"lcm(4, 6)", "12"},
              {"comb(5, 2)", "10"},
              {"perm(5)", "120"},
              {"hypot(3, 4)", "5.0"},
              {"dist([0, 0], (3, 4))", "5.0"},
              {"pow(2, 3)", "8.0"},
              {"degrees(pi)", "180.0"},
              {"fsum([0.1, 0.2, 0.3, -0.6])", "2.7755575615628914e-17"},
              {"prod([2, 3])", "6"},
              {"isqrt(17)", "4"},
              {"isnan(nan)", "True"},
              {"gamma(5)", "24.0"}});
}

TEST(CalculateTest, KnowsTheBuiltinFunctions) {
  CheckCases({{"abs(-5)", "5"},
              {"round(2.5)", "2"},
              {"round(3.5)", "4"},
              {"round(2.675, 2)", "2.67"},
              {"round(1250, -2)", "1200"},
              {"round(25.0, -1)", "20.0"},
              {"min(3, 1, 2)", "1"},
              {"max([1, 2.5])", "2.5"},
              {"sum([1, 2, 3])", "6"},
              {"sum((0.5,), 1)", "1.5"},
              {"int(-3.9)", "-3"},
              {"float(3)", "3.0"},
              {"len([1, 2])", "2"},
              {"[1, 2.0]", "[1, 2.0]"},
              {"(1,)", "(1,)"}});
}

TEST(CalculateTest, TakesTheSignsPeopleType) {
  CheckCases({{"2 ^ 10", "1024"}, {"6 × 7", "42"}, {"6 ÷ 4", "1.5"}, {"5 − 3", "2"}});
}

TEST(CalculateTest, FailsInPythonsWords) {
  CheckCases({{"1 / 0", "error: division by zero"},
              {"1.0 / 0", "error: float division by zero"},
              {"1 // 0", "error: integer division or modulo by zero"},
              {"0 ** -1", "error: 0.0 cannot be raised to a negative power"},
              {"sqrt(-1)", "error: math domain error"},
              {"log(0)", "error: math domain error"},
              {"exp(1000)", "error: math range error"},
              {"10.0 ** 400", "error: (34, 'Numerical result out of range')"},
              {"foo", "error: name 'foo' is not defined"},
              {"foo(1)", "error: name 'foo' is not defined"},
              {"math.foo", "error: module 'math' has no attribute 'foo'"},
              {"math.abs(1)", "error: module 'math' has no attribute 'abs'"},
              {"factorial(-1)", "error: factorial() not defined for negative values"},
              {"factorial(1.5)", "error: 'float' object cannot be interpreted as an integer"},
              {"int(inf)", "error: cannot convert float infinity to integer"},
              {"sqrt(1, 2)", "error: math.sqrt() takes exactly one argument (2 given)"},
              {"pow(1)", "error: pow expected 2 arguments, got 1"},
              {"min([])", "error: min() arg is an empty sequence"},
              {"min(5)", "error: 'int' object is not iterable"},
              {"1 + [2]", "error: unsupported operand type(s) for +: 'int' and 'list'"},
              {"1 < [2]", "error: '<' not supported between instances of 'int' and 'list'"},
              {"-[1]", "error: bad operand type for unary -: 'list'"},
              {"pi(2)", "error: 'float' object is not callable"},
              {"dist([1], [1, 2])", "error: both points must have the same number of dimensions"},
              {"(-8) ** 0.5", "error: unsupported operation: the result is a complex number"}});
}

TEST(CalculateTest, RefusesWhatIsNoExpression) {
  for (const char* text :
       {"",       " ",     "1 +",    "(",   "1)",   "1 2",       "2x",           "012",
        "1..2",   "1__0",  "0x",     "0b2", "'a'",  "x = 1",     "f(",           "f(,)",
        "[1,,2]", "math.", "math.2", "@",   "\xff", "import os", "1 if 2 else 3"}) {
    EXPECT_EQ(Answer(text), "error: invalid syntax") << text;
  }
}

TEST(CalculateTest, ReportsSyntaxBeforeEvaluation) {
  EXPECT_EQ(Answer("1 / 0 +"), "error: invalid syntax");
  EXPECT_EQ(Answer("foo + 1 / 0"), "error: name 'foo' is not defined");
}

TEST(CalculateTest, RefusesWhatWouldCostTooMuch) {
  CheckCases({{"9 ** 9 ** 9", "error: result too large"},
              {"2 ** 14284", "error: result too large"},
              {"10 ** 4000 * 10 ** 4000", "error: result too large"},
              {"factorial(10 ** 9)", "error: result too large"},
              {"comb(10 ** 100, 10 ** 99)", "error: result too large"},
              {"perm(10 ** 100)", "error: result too large"},
              {"0x10000000000000000", "error: result too large"}});
  EXPECT_EQ(Answer(std::string(5000, '(')), "error: too many nested parentheses");
  EXPECT_EQ(Answer(std::string(5000, '-') + "1"), "error: too many nested parentheses");
  EXPECT_EQ(Answer(std::string(5000, '9')), "error: result too large");
  EXPECT_EQ(Answer(std::string(10001, '1')), "error: the expression is too long");
  EXPECT_EQ(Answer(std::string(90, '(') + "1" + std::string(90, ')')), "1");
}

TEST(CalculateTest, IsAnSqlFunctionOfText) {
  Sql sql;
  EXPECT_EQ(sql("select calculate('6 / 3')"), "2.0");
  EXPECT_EQ(sql("select typeof(calculate('1'))"), "text");
  EXPECT_EQ(sql("select calculate('1 / 0')"), "error: calculate: division by zero");
}

}  // namespace
}  // namespace viv::engine::functions
