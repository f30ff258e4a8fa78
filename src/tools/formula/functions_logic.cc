// Choices: only the branch that is taken is computed, so that the other may fail or refer back.

#include <array>

#include "tools/formula/functions.h"

namespace viv::formula {
namespace {

bool IsManyValues(const Operand& operand) {
  if (const auto* array = std::get_if<Array>(&operand)) return array->cells.size() > 1;
  const auto* reference = std::get_if<Reference>(&operand);
  return reference && (reference->size() > 1 || !(*reference)[0].IsCell());
}

// A branch left empty, IF(x,,1), is 0; one that is not there is FALSE.
Operand Branch(Call& call, int i, bool otherwise) {
  if (i >= call.size()) return Flg(otherwise);
  Operand result = call.Compute(i);
  if (std::holds_alternative<Missing>(result)) return Num(0);
  return result;
}

const Value& ValueAt(const Array& array, int row, int column) {
  static const Value kNothing = ErrorKind::kNotAvailable;
  int r = array.rows == 1 ? 0 : row, c = array.columns == 1 ? 0 : column;
  return r < array.rows && c < array.columns ? array.At(r, c) : kNothing;
}

// IF over an array of conditions: both branches are computed and one is taken at each place.
Operand IfEach(Call& call, const Array& conditions) {
  Array yes = call.evaluator().ToArray(Branch(call, 1, true));
  Array no = call.evaluator().ToArray(Branch(call, 2, false));
  int rows = std::max({conditions.rows, yes.rows, no.rows});
  int columns = std::max({conditions.columns, yes.columns, no.columns});
  std::int64_t size = static_cast<std::int64_t>(rows) * columns;
  if (size > kArrayCellsMax || !call.evaluator().Charge(size)) return Err(ErrorKind::kNumber);
  Array out(rows, columns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      tl::expected<bool, ErrorKind> flag = ToFlag(ValueAt(conditions, row, column));
      out.At(row, column) = !flag ? Value(flag.error()) : ValueAt(*flag ? yes : no, row, column);
    }
  return out;
}

Operand RunIf(Call& call) {
  Operand condition = call.Compute(0);
  if (call.scope().want == Want::kArray && IsManyValues(condition))
    return IfEach(call, call.evaluator().ToArray(condition));
  Value value = call.evaluator().ToValue(condition);
  if (call.evaluator().halted()) return Num(0);
  tl::expected<bool, ErrorKind> flag = ToFlag(value);
  if (!flag) return Err(flag.error());
  return *flag ? Branch(call, 1, true) : Branch(call, 2, false);
}

Operand RunIfs(Call& call) {
  for (int i = 0; i + 1 < call.size(); i += 2) {
    tl::expected<bool, ErrorKind> flag = ToFlag(call.evaluator().ToValue(call.Compute(i)));
    if (call.evaluator().halted()) return Num(0);
    if (!flag) return Err(flag.error());
    if (*flag) return Branch(call, i + 1, true);
  }
  return Err(ErrorKind::kNotAvailable);
}

bool IsCaught(const Value& value, bool only_not_available) {
  const auto* error = std::get_if<ErrorKind>(&value);
  return error && (!only_not_available || *error == ErrorKind::kNotAvailable);
}

Operand RunIfError(Call& call, bool only_not_available) {
  Operand tried = call.Compute(0);
  if (call.evaluator().halted()) return Num(0);
  if (call.scope().want == Want::kArray && IsManyValues(tried)) {
    Array values = call.evaluator().ToArray(tried);
    Array instead = call.evaluator().ToArray(Branch(call, 1, false));
    for (int row = 0; row < values.rows; ++row)
      for (int column = 0; column < values.columns; ++column)
        if (IsCaught(values.At(row, column), only_not_available))
          values.At(row, column) = ValueAt(instead, row, column);
    return values;
  }
  Value value = call.evaluator().ToValue(tried);
  if (call.evaluator().halted()) return Num(0);
  if (IsCaught(value, only_not_available)) return Branch(call, 1, false);
  return value;
}

Operand RunSwitch(Call& call) {
  Value wanted = call.evaluator().ToValue(call.Compute(0));
  if (call.evaluator().halted()) return Num(0);
  if (IsError(wanted)) return wanted;
  int i = 1;
  for (; i + 1 < call.size(); i += 2) {
    Value candidate = call.evaluator().ToValue(call.Compute(i));
    if (call.evaluator().halted()) return Num(0);
    if (IsError(candidate)) return candidate;
    if (Compare(wanted, candidate) == 0 && (IsBlank(wanted) || wanted.index() == candidate.index()))
      return Branch(call, i + 1, false);
  }
  return i < call.size() ? Branch(call, i, false) : Err(ErrorKind::kNotAvailable);
}

Operand RunChoose(Call& call) {
  Value first = call.evaluator().ToValue(call.Compute(0));
  if (call.evaluator().halted()) return Num(0);
  tl::expected<double, ErrorKind> index = ToNumber(first);
  if (!index) return Err(index.error());
  int chosen = ToInt(*index);
  if (chosen < 1 || chosen >= call.size()) return Err(ErrorKind::kValue);
  return Branch(call, chosen, false);
}

// Truth values of all arguments: texts of ranges are passed over.
template <typename Take>
Operand Combine(Call& call, const Take& take) {
  bool any = false;
  for (int i = 0; i < call.size(); ++i)
    call.ForEach(i, [&](const Value& value, bool is_direct) {
      if (!is_direct && (IsBlank(value) || std::holds_alternative<std::string>(value))) return true;
      tl::expected<bool, ErrorKind> flag = ToFlag(value);
      if (!flag) {
        call.Fail(flag.error());
        return false;
      }
      any = true;
      take(*flag);
      return true;
    });
  if (!any) call.Fail(ErrorKind::kValue);
  return Num(0);
}

Operand RunAnd(Call& call) {
  bool all = true;
  Combine(call, [&](bool flag) { all = all && flag; });
  return Flg(all);
}

Operand RunOr(Call& call) {
  bool any = false;
  Combine(call, [&](bool flag) { any = any || flag; });
  return Flg(any);
}

Operand RunXor(Call& call) {
  bool odd = false;
  Combine(call, [&](bool flag) { odd = odd != flag; });
  return Flg(odd);
}

// LET(name, value, …, result): each name is known to what follows it.
Operand LetFrom(Call& call, int i, const LocalNames* outer) {
  Scope scope = call.scope();
  scope.names = outer;
  auto node = [&](int index) -> const Node& {
    return *call.node().children[static_cast<std::size_t>(index)];
  };
  if (i + 1 == call.size()) return call.evaluator().Run(node(i), scope);
  if (node(i).kind != NodeKind::kName) return Err(ErrorKind::kName);
  Scope value_scope = scope;
  value_scope.want = Want::kArray;
  Operand value = call.evaluator().Run(node(i + 1), value_scope);
  if (call.evaluator().halted()) return Num(0);
  std::string name = UpperText(node(i).name);
  LocalNames local{name, &value, outer};
  return LetFrom(call, i + 2, &local);
}

Operand RunLet(Call& call) {
  if (call.size() % 2 == 0 || call.size() > 101) return Err(ErrorKind::kValue);
  return LetFrom(call, 0, call.scope().names);
}

const std::array kLogicTable = {
    Function{"IF", "L", 1, 3, RunIf},
    Function{"IFS", "L", 2, kManyArguments, RunIfs},
    Function{"IFERROR", "L", 2, 2, [](Call& c) { return RunIfError(c, false); }},
    Function{"IFNA", "L", 2, 2, [](Call& c) { return RunIfError(c, true); }},
    Function{"SWITCH", "L", 3, kManyArguments, RunSwitch},
    Function{"CHOOSE", "L", 2, kManyArguments, RunChoose},
    Function{"LET", "L", 3, kManyArguments, RunLet},
    Function{"AND", "|R", 1, kManyArguments, RunAnd},
    Function{"OR", "|R", 1, kManyArguments, RunOr},
    Function{"XOR", "|R", 1, kManyArguments, RunXor},
    Function{"NOT", "V", 1, 1, [](Call& c) { return Flg(!c.Flag(0)); }},
    Function{"TRUE", "V", 0, 0, [](Call&) { return Flg(true); }},
    Function{"FALSE", "V", 0, 0, [](Call&) { return Flg(false); }},
};

}  // namespace

FunctionList LogicFunctions() {
  return kLogicTable;
}

}  // namespace viv::formula
