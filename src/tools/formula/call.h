#pragma once
// One call of a function: its arguments, read as what the function needs. The first argument that
// cannot be read that way becomes the call's error, which is then its result whatever the function
// returns; so functions read straight on and look at error() only before work that needs it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/formula/evaluator.h"
#include "tools/formula/operand.h"
#include "tools/formula/parser.h"

namespace viv::formula {

class Call {
 public:
  Call(Evaluator& evaluator, const Node& node, const Scope& scope)
      : evaluator_(evaluator), node_(node), scope_(scope) {}

  Evaluator& evaluator() { return evaluator_; }
  const Node& node() const { return node_; }
  const Scope& scope() const { return scope_; }
  int size() const { return static_cast<int>(node_.children.size()); }
  std::vector<Operand> arguments;  // as the function's parameters ask; empty for lazy functions

  void Fail(ErrorKind error) {
    if (!error_) error_ = error;
  }
  const std::optional<ErrorKind>& error() const { return error_; }

  bool Has(int i) const;  // given and not left empty
  const Operand& Raw(int i) const { return arguments[static_cast<std::size_t>(i)]; }
  Value Any(int i);     // one value; errors too
  Value Scalar(int i);  // one value; an error fails the call
  double Number(int i);
  double Number(int i, double fallback) { return Has(i) ? Number(i) : fallback; }
  int Integer(int i) { return ToWhole(Number(i)); }
  int Integer(int i, int fallback) { return Has(i) ? Integer(i) : fallback; }
  std::string Text(int i);
  std::string Text(int i, std::string_view fallback) {
    return Has(i) ? Text(i) : std::string(fallback);
  }
  bool Flag(int i);
  bool Flag(int i, bool fallback) { return Has(i) ? Flag(i) : fallback; }
  Array Matrix(int i);
  const Reference* AsReference(int i) const;

  // The numbers of the arguments first..size()-1 as SUM counts them: of ranges and arrays only what
  // is a number, of values given directly all that can be read as one. Errors fail the call.
  std::vector<double> Numbers(int first = 0);
  std::vector<double> NumbersOf(int i);
  // Like Numbers, but texts of ranges count as 0 and truth values as 0 or 1 (AVERAGEA and its kin).
  std::vector<double> AllNumbers(int first = 0);

  // visit(value, is_direct) for every value of an argument that is there; blanks of ranges are left
  // out. Stops when it returns false.
  template <typename Visitor>
  void ForEach(int i, const Visitor& visit);

  // For lazy functions: the argument computed now.
  Operand Compute(int i, Want want);
  Operand Compute(int i) { return Compute(i, scope_.want); }

 private:
  static int ToWhole(double number);
  void AddNumbers(int i, std::vector<double>& out);

  Evaluator& evaluator_;
  const Node& node_;
  Scope scope_;
  std::optional<ErrorKind> error_;
};

template <typename Visitor>
void Call::ForEach(int i, const Visitor& visit) {
  const Operand& operand = Raw(i);
  if (const auto* value = std::get_if<Value>(&operand)) {
    visit(*value, true);
  } else if (const auto* array = std::get_if<Array>(&operand)) {
    for (const Value& cell : array->cells)
      if (!evaluator_.Charge(1) || !visit(cell, false)) return;
  } else if (const auto* reference = std::get_if<Reference>(&operand)) {
    bool going = true;
    for (const Area& area : *reference) {
      if (!going || !evaluator_.Ready(area)) return;
      evaluator_.grid().ForEach(area, [&](const GridCell& cell) {
        going = evaluator_.Charge(1) && visit(cell.value, false);
        return going;
      });
    }
  }
}

// How a function takes its arguments, one letter each: V one value (over arrays the function is
// repeated for each), R a range or array as it is. What follows "|" repeats for further arguments.
// "L" alone: the function computes its arguments itself.
struct Function {
  std::string_view name;
  std::string_view parameters;
  int arguments_min;
  int arguments_max;
  Operand (*run)(Call& call);
};

constexpr int kManyArguments = 255;

const Function* FindFunction(std::string_view name);  // in capitals
std::size_t FunctionCount();

}  // namespace viv::formula
